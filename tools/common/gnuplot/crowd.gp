set title @TITLE@ noenhanced
set xlabel 'delay (s)'
set ylabel 'goodput (kbit/s)'
set key outside noenhanced
set logscale xy
array group[@COUNT@] = [@GROUPS@]
plot for [i=1:|group|] data using 2:(strcol(6) eq group[i] ? column(4) : NaN) \
     with points pointtype shape[(i - 1) % 12 + 1] linecolor (i - 1) % 8 + 1 title group[i]
