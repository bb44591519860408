array panel[@PANEL_COUNT@] = [@PANELS@]
array aqm[@AQM_COUNT@] = [@AQMS@]
set grid
unset key
set logscale x
set offsets 0, 0, graph 0.08, graph 0.08
set xlabel 'delay (s)'
set ylabel 'goodput / rate'
set multiplot layout @DOWN@,@ACROSS@ title 'goodput against delay, live: small 1 flow, large 4'
do for [p=1:|panel|] {
  set title panel[p] noenhanced
  plot for [a=1:|aqm|] data using (strcol(1) eq panel[p] && strcol(2) eq aqm[a] ? column(4) : NaN):5:(column(3) > 1 ? 1.6 : 0.9) \
       with points pointtype shape[(a - 1) % 12 + 1] pointsize variable linecolor a
}
unset logscale
unset tics
unset border
unset grid
unset title
unset xlabel
unset ylabel
set key center noenhanced
plot [0:1] [0:1] for [a=1:|aqm|] -1 with points pointtype shape[(a - 1) % 12 + 1] pointsize 1.2 linecolor a title aqm[a]
unset multiplot
