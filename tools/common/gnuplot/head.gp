# Draws @NAME@.png from @NAME@.csv; gnuplot -e "format='svg'" @NAME@.gp draws @NAME@.svg.
if (!exists("format")) format = 'png'
if (format eq 'png') set terminal pngcairo size @SIZE@; else set terminal svg size @SIZE@ background 'white'
set output '@NAME@.'.format
data = '@NAME@.csv'
set datafile separator ','
set datafile columnheaders
array shape[12] = [7, 5, 9, 11, 13, 6, 4, 8, 10, 12, 1, 2]
