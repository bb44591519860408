set multiplot layout 2,1 title @TITLE@
set style data histograms
set style histogram errorbars gap 1 linewidth 1
set style fill solid 0.6 border -1
set boxwidth 0.9
set yrange [0:]
set key top outside
set xtics noenhanced rotate by -45
set ylabel 'goodput (kbit/s)'
plot data using 2:3:xtic(1) title 'paper', data using 4:5 title 'rnclab'
set ylabel 'delay (s)'
plot data using 6:7:xtic(1) title 'paper', data using 8:9 title 'rnclab'
unset multiplot
