array line[@COUNT@] = [@LINES@]
set title @TITLE@ noenhanced
set key bottom right opaque
set xlabel @AXIS@
set ylabel @VALUE@
set yrange [0:]
if (@LOGARITHMIC@) { set logscale x; set format x '%g' }
plot for [i=1:|line|] data using (strcol(1) eq line[i] ? column(2) : NaN):3:4 \
     with yerrorlines pointtype shape[(i - 1) % 12 + 1] pointsize 0.8 title line[i]
