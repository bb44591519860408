set title @TITLE@ noenhanced
set xlabel 'delay (s)'
set ylabel 'goodput (kbit/s)'
unset key
set offsets graph 0.1, graph 0.2, graph 0.1, graph 0.1
plot data using 2:4:3:5 with xyerrorbars pointtype 7, \
     data using 2:4:1 with labels left offset 0.8,0.5 noenhanced
