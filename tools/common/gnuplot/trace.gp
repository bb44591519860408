array flow[@COUNT@] = [@FLOWS@]
of(series, id) = strcol(2) eq series && strcol(3) eq id ? column(4) : NaN
set multiplot layout @COUNT@ + 1,1 title @TITLE@
set lmargin 10
set rmargin 3
set xlabel 'time (s)'
set xrange [0:@END@]
set ylabel 'buffer occupancy (BO), SDUs'
set y2label 'cwnd, segments'
set ytics nomirror
set y2tics
set rmargin 9
plot for [i=1:|flow|] data using 1:(of("cwnd", flow[i])) axes x1y2 with steps title "cwnd ".flow[i], \
     data using 1:(of("bo", "")) with steps linewidth 2 linecolor rgb 'black' title "BO"
unset y2label
unset y2tics
set ytics mirror
set ylabel 'segment number'
set key top left opaque
do for [i=1:|flow|] {
  plot data using 1:(of("sent", flow[i])) with dots title "sent ".flow[i], \
       data using 1:(of("received", flow[i])) with points pointtype 7 pointsize 0.2 title "received ".flow[i], \
       data using 1:(of("dropped", flow[i])) with points pointtype 2 title "dropped ".flow[i]
}
unset multiplot
