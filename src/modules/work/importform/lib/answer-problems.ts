import { PlatformError, type ErrorCode } from '../../../../kernel/door/errors.ts';

/** As many problems are told of one save. */
const REPORTED_MAX = 50;

/** What is wrong with the answers of a form: all of it is told at once, each by its question. */
export class AnswerProblems {
  readonly found: { readonly name: string; readonly message: string }[] = [];

  /** Notes what is wrong with the answer to a question. */
  add(name: string, message: string): void {
    this.found.push({ name, message });
  }

  /** Does one part of the work; what is refused of it is noted and answers undefined. */
  async attempt<T>(name: string, run: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof PlatformError) || error.status >= 500) throw error;
      this.add(name, error.message);
      return undefined;
    }
  }

  /** Throws what was noted, if anything was. Each stands in the details under its question, and as an alert. */
  throwIfAny(code: ErrorCode = 'BAD_PARAMETER'): void {
    const [first] = this.found;
    if (!first) return;
    const told = this.found.slice(0, REPORTED_MAX);
    throw new PlatformError(code, {
      field: first.name,
      message: told.map(({ message }) => message).join(' '),
      details: { Questions: told.map(({ name }) => name), Problems: told.map(({ message }) => message) },
    });
  }
}
