import { PlatformError, type ErrorCode } from '../../../../kernel/door/errors.ts';

/** Most problems reported per save. */
const REPORTED_MAX = 50;

/** The problems of a form's answers, collected so that all are reported together by question. */
export class AnswerProblems {
  readonly found: { readonly name: string; readonly message: string }[] = [];

  /** Adds a problem with the answer to a question. */
  add(name: string, message: string): void {
    this.found.push({ name, message });
  }

  /** Runs a step of the check. Records a refusal and returns undefined. */
  async attempt<T>(name: string, run: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof PlatformError) || error.status >= 500) throw error;
      this.add(name, error.message);
      return undefined;
    }
  }

  /** Throws if there are problems. The details list each with its question. */
  throwIfAny(code: ErrorCode = 'BAD_PARAMETER'): void {
    const [first] = this.found;
    if (!first) return;
    const reported = this.found.slice(0, REPORTED_MAX);
    throw new PlatformError(code, {
      field: first.name,
      message: reported.map(({ message }) => message).join(' '),
      details: { Questions: reported.map(({ name }) => name), Problems: reported.map(({ message }) => message) },
    });
  }
}
