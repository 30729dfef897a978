/*
 * The built-in embedder: latent semantic analysis fitted on the embedded corpus. Deterministic, no
 * network, no model file.
 *
 * source: Deerwester et al. 1990, "Indexing by latent semantic analysis": A = U S V', folded in as
 *         q V. Departures: terms after the domain's synonym table, character n-grams beside the
 *         words against typing errors and compounds, and U, S from the eigenvectors of A A' (the
 *         documents are few, the terms many).
 */
#ifndef WI_KNOWLEDGE_LSA_H
#define WI_KNOWLEDGE_LSA_H

#include "core/embedder.h"
#include "knowledge/terms.h"

struct wi_lsa;

/*
 * Fit the basis.
 * in:   terms  borrowed for the life of the object
 *       n      texts of the corpus, >= 1
 *       dim    components; those beyond the rank of the corpus are always zero
 * returns WI_OK; WI_EDATA for a corpus without a word; WI_ENUMERIC
 * cost:   O(n^2 terms + n^3): about 50 ms for 150 texts
 */
enum wi_status wi_lsa_fit(const struct wi_terms *terms, size_t n, const char *const *texts,
                          size_t dim, struct wi_lsa **lsa, struct wi_err *err);
void wi_lsa_free(struct wi_lsa *lsa);
size_t wi_lsa_dim(const struct wi_lsa *lsa);

/*
 * out:  vec  (dim,) unit length; all zeros for a text without a known term
 */
enum wi_status wi_lsa_embed(const struct wi_lsa *lsa, const char *text, float *vec,
                            struct wi_err *err);

/* The basis as bytes, borrowed: valid as long as the object. */
const void *wi_lsa_bytes(const struct wi_lsa *lsa, size_t *n_bytes);

/*
 * The object from its bytes, which are used in place.
 * owns: takes `bytes` (malloc) over, also on failure
 * returns WI_OK; WI_EDATA for bytes that are not whole or of another version
 */
enum wi_status wi_lsa_load(const struct wi_terms *terms, void *bytes, size_t n_bytes,
                           struct wi_lsa **lsa, struct wi_err *err);

#endif
