/** Where chance comes from: jitter and ids that nobody may guess twice. */
export interface Random {
  /** In [0, 1). */
  fraction(): number;
  /** A new ULID: 26 characters that sort by time of creation. */
  ulid(): string;
}
