/*
 * A scenario as a point in a space where distance means "physically different": standardised
 * deltas, levels, axis, frequency, phase, operation, NAND type, hours.
 */
#ifndef WI_KNOWLEDGE_SCENARIO_VECTOR_H
#define WI_KNOWLEDGE_SCENARIO_VECTOR_H

#include "core/dataset.h"

#define WI_SCENARIO_DIM 24
/* Stored beside every vector; another number means that the features have changed. */
#define WI_SCENARIO_VECTOR_NAME "scenario/1"

/*
 * An inner product index finds Euclidean neighbours when the stored side carries -|x|^2/2 and the
 * asking side 1 in the last component: q.x - |x|^2/2 = (|q|^2 - |q - x|^2) / 2.
 *
 * out:  vec   (WI_SCENARIO_DIM,) finite
 */
void wi_scenario_vector_of_experiment(const struct wi_experiment *exp,
                                      const struct wi_observation *obs, size_t n_obs, float *vec);
void wi_scenario_vector_of_query(const struct wi_scenario *s, float *vec);

/* Closeness 0..1 from the index's score: exp(-|q - x|^2 / 4). */
double wi_scenario_closeness(const float *query, float score);

#endif
