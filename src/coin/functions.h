/* functions.h: the functions of Clp and Cbc that are called, one each; read several times by
 * coin.h and loader.c: what makes a model; what gives a value, and what gives none, of a model. */
COIN_MODEL(CLP, Clp_Simplex *, Clp_newModel)
COIN_MODEL(CBC, Cbc_Model *, Cbc_newModel)
COIN_VOID(CLP, Clp_deleteModel, (Clp_Simplex * model), (model))
COIN_VOID(CLP, Clp_loadProblem,
          (Clp_Simplex * model, const int columns, const int rows, const int *starts,
           const int *indices, const double *values, const double *column_least,
           const double *column_most, const double *objective, const double *row_least,
           const double *row_most),
          (model, columns, rows, starts, indices, values, column_least, column_most, objective,
           row_least, row_most))
COIN_VOID(CLP, Clp_setLogLevel, (Clp_Simplex * model, int level), (model, level))
COIN_VOID(CLP, Clp_setOptimizationDirection, (Clp_Simplex * model, double sign), (model, sign))
COIN_VOID(CLP, Clp_setPrimalTolerance, (Clp_Simplex * model, double most), (model, most))
COIN_VOID(CLP, Clp_setDualTolerance, (Clp_Simplex * model, double most), (model, most))
COIN_VOID(CLP, Clp_setMaximumIterations, (Clp_Simplex * model, int most), (model, most))
COIN_VOID(CLP, Clp_setPerturbation, (Clp_Simplex * model, int how), (model, how))
COIN_VOID(CLP, Clp_scaling, (Clp_Simplex * model, int how), (model, how))
COIN_VALUE(CLP, int, Clp_primal, (Clp_Simplex * model, int pass), (model, pass))
COIN_VALUE(CLP, int, Clp_dual, (Clp_Simplex * model, int pass), (model, pass))
COIN_VALUE(CLP, int, Clp_status, (Clp_Simplex * model), (model))
COIN_VALUE(CLP, int, Clp_secondaryStatus, (Clp_Simplex * model), (model))
COIN_VALUE(CLP, const double *, Clp_getColSolution, (Clp_Simplex * model), (model))
COIN_VALUE(CLP, const double *, Clp_getRowPrice, (Clp_Simplex * model), (model))
COIN_VOID(CBC, Cbc_deleteModel, (Cbc_Model * model), (model))
COIN_VOID(CBC, Cbc_loadProblem,
          (Cbc_Model * model, const int columns, const int rows, const int *starts,
           const int *indices, const double *values, const double *column_least,
           const double *column_most, const double *objective, const double *row_least,
           const double *row_most),
          (model, columns, rows, starts, indices, values, column_least, column_most, objective,
           row_least, row_most))
COIN_VOID(CBC, Cbc_setLogLevel, (Cbc_Model * model, int level), (model, level))
COIN_VOID(CBC, Cbc_setInteger, (Cbc_Model * model, int column), (model, column))
COIN_VOID(CBC, Cbc_setObjSense, (Cbc_Model * model, double sign), (model, sign))
COIN_VOID(CBC, Cbc_setParameter, (Cbc_Model * model, const char *name, const char *value),
          (model, name, value))
COIN_VOID(CBC, Cbc_setMaximumNodes, (Cbc_Model * model, int most), (model, most))
COIN_VOID(CBC, Cbc_setAllowableGap, (Cbc_Model * model, double most), (model, most))
COIN_VOID(CBC, Cbc_setAllowableFractionGap, (Cbc_Model * model, double most), (model, most))
COIN_VALUE(CBC, int, Cbc_solve, (Cbc_Model * model), (model))
COIN_VALUE(CBC, int, Cbc_secondaryStatus, (Cbc_Model * model), (model))
COIN_VALUE(CBC, int, Cbc_isProvenOptimal, (Cbc_Model * model), (model))
COIN_VALUE(CBC, int, Cbc_isProvenInfeasible, (Cbc_Model * model), (model))
COIN_VALUE(CBC, double, Cbc_getBestPossibleObjValue, (Cbc_Model * model), (model))
COIN_VALUE(CBC, const double *, Cbc_getColSolution, (Cbc_Model * model), (model))
COIN_VALUE(CBC, double *, Cbc_bestSolution, (Cbc_Model * model), (model))
