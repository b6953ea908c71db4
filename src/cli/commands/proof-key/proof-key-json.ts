/** What the commands print of a key that signs proofs: never its private part. */
import type { StoredKey } from '../../../service/proof/proof-key-store.ts';

export const proofKeyJson = ({ kid, state, made_at, signs_from, leaves_at }: StoredKey) => ({
  kid,
  state,
  made_at: made_at.toISOString(),
  signs_from: signs_from.toISOString(),
  /** When it is published no longer. */
  leaves_at: leaves_at?.toISOString() ?? null,
});
