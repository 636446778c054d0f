/** Accounts and groups of the first owner for use in tests; both data sizes have them. */
export const landmarks = {
  /** A plain running account on both surfaces, in a group. */
  plainId: 410_201,
  /** Its network id exceeds 2^53: 17841401234567891. */
  bigNetworkId: 410_202,
  /** Its `accountUsername` is empty. */
  namelessId: 410_203,
  pausedId: 410_204,
  lockedId: 410_205,
  blockedId: 410_206,
  reconnectId: 410_207,
  /** Undocumented and optional objects are null or `[]`. */
  bareId: 410_208,
  /** Its network is an unfamiliar one; it is in no group. */
  unknownNetworkId: 410_210,
  /** One account on the current surface, and a different one on the legacy surface (other URL). */
  impostorId: 410_211,
  /** Listed by the legacy surface only. */
  legacyOnlyId: 410_213,
  emptyGroupId: 5_104,
} as const;
