"""Names of months, in full and short, as `data.columns.dates.bare` has them; made by docs/month_names.py.

From the Unicode CLDR, in en, de, fr, es, it, pt, nl, sv, pl, ja, zh. 0 holds names that two languages read differently.
"""

NAMES = {
    0: "",
    1: "ene enero gen gennaio jan janeiro januar januari january janv janvier sty styczen stycznia 一月",
    2: "feb febbraio febrero februar februari february fev fevereiro fevr fevrier lut lutego luty 二月",
    3: "maart mar marca march marco mars marz marzec marzo mrt 三月",
    4: "abr abril apr april aprile avr avril kwi kwiecien kwietnia 四月",
    5: "mag maggio mai maio maj maja may mayo mei 五月",
    6: "cze czerwca czerwiec giu giugno juin jun june junho juni junio 六月",
    7: "juil juillet jul julho juli julio july lip lipca lipiec lug luglio 七月",
    8: "ago agosto aout aug august augusti augustus sie sierpien sierpnia 八月",
    9: "sep sept september septembre septiembre set setembro settembre wrz wrzesien wrzesnia 九月",
    10: "oct october octobre octubre okt oktober ott ottobre out outubro paz pazdziernik pazdziernika 十月",
    11: "lis listopad listopada nov november novembre novembro noviembre 十一月",
    12: "dec december decembre dez dezember dezembro dic dicembre diciembre gru grudnia grudzien 十二月",
}
