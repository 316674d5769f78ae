/* report.c: the list of the formats. */
#include "report/report.h"

const struct ls_report_format *const ls_report_formats[] = {&ls_report_summary,
                                                            &ls_report_gantt,
                                                            &ls_report_svg,
                                                            &ls_report_csv,
                                                            &ls_report_trace,
                                                            &ls_report_html,
                                                            NULL};
