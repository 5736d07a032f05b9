import { isRetryable } from '../../../../kernel/database/database-error.ts';

/** Attempts of one transaction that conflicts with others, as at the door. */
const ATTEMPTS_MAX = 4;

/** Runs a transaction again if the database rolled it back because of a conflict. Every attempt starts anew. */
export async function retryConflicts<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (!isRetryable(error) || attempt >= ATTEMPTS_MAX) throw error;
    }
  }
}
