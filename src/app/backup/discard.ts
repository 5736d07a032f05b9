/**
 * Deletes what an interrupted run wrote, and returns whether it did, with the sentence that says so to the operator.
 * Never throws: the error that interrupted the run is the one to report.
 */
export async function discard(
  what: string,
  path: string,
  remove: () => Promise<void>,
): Promise<{ readonly isDeleted: boolean; readonly note: string }> {
  try {
    await remove();
    return { isDeleted: true, note: `The ${what} was deleted` };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { isDeleted: false, note: `The ${what} could not be deleted (${reason}); delete ${path} yourself` };
  }
}
