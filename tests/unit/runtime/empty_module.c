/* empty_module.c: a library that is no module of Loadstar. */
extern const int what_it_has;
const int what_it_has = 1;
