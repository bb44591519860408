array curve[@COUNT@] = [@CURVES@]
array printed = [@PRINTED@]
prints = @PRINTS@
set multiplot layout 2,1 title @TITLE@ noenhanced
set key top outside noenhanced
set xlabel @SETTING@ noenhanced
set lmargin 12
set xtics noenhanced@ROTATE@
set offsets 0.2, 0.2
set ylabel 'goodput (kbit/s)'
plot data using 0:2:3:xtic(1) with @STYLE@ pointtype 7 pointsize 0.6 title curve[1], \
     for [i=2:|curve|] data using (column(0) + @ASIDE@ * (i - 1)):(column(4 * i - 2)):(column(4 * i - 1)) \
     with @STYLE@ pointtype 7 pointsize 0.6 title curve[i], \
     for [i=1:prints] data using (column(0) + @ASIDE@ * (printed[i] - 1)):(column(4 * (|curve| + i) - 2)):(column(4 * (|curve| + i) - 1)) \
     with yerrorbars pointtype 2 pointsize 1.6 linewidth 2 linecolor printed[i] title curve[printed[i]].', printed'
set ylabel 'delay (s)'
set yrange [0:]
plot data using 0:4:5:xtic(1) with @STYLE@ pointtype 7 pointsize 0.6 title curve[1], \
     for [i=2:|curve|] data using (column(0) + @ASIDE@ * (i - 1)):(column(4 * i)):(column(4 * i + 1)) \
     with @STYLE@ pointtype 7 pointsize 0.6 title curve[i], \
     for [i=1:prints] data using (column(0) + @ASIDE@ * (printed[i] - 1)):(column(4 * (|curve| + i))):(column(4 * (|curve| + i) + 1)) \
     with yerrorbars pointtype 2 pointsize 1.6 linewidth 2 linecolor printed[i] title curve[printed[i]].', printed'
unset multiplot
