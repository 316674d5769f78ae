/* analyses.h: all analyses, one line each; read several times by analysis.c. */
LS_ANALYSIS(bounds)
LS_ANALYSIS(reduced_star)
LS_ANALYSIS(rounds)
LS_ANALYSIS(returns)
