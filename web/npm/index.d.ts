import type { Report } from "./bulkdoku.js";
export { Input, explain, generate, simdLevel } from "./bulkdoku.js";
export type { Explanation, Message, ReadBytes, Report, Start, Step, WriteRows } from "./bulkdoku.js";

/**
 * Solves the puzzles of a text or file, in any format that the command reads except Parquet and zstd.
 *
 * Returns the rows as CSV. `limit` is the number of solutions at which the search for each puzzle
 * ends: 2, the default, proves that there is only one. For inputs that are larger than memory, use
 * {@link Input}.
 */
export function solve(
  input: string | Uint8Array,
  options?: { name?: string, limit?: number },
): { rows: string, report: Report };
