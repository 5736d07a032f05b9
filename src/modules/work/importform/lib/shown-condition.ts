import { findChoice } from './choices.ts';
import { namesIn } from './evaluation-levels.ts';
import type { Form, Question } from './form.ts';

/** What decides whether a question is shown, as far as it can be said in words. */
export interface ShownCondition {
  /** The name of the only question whose answer decides. */
  readonly question: string;
  /** The label of the only answer with which it is shown; undefined for any other comparison. */
  readonly answer: string | undefined;
}

/** A comparison of an answer with a text: `/Form/Answers/Outcome = 'defect'`. */
const EQUALS_TEXT = /^[\s(]*[\p{L}\p{N}_./-]+\s*=\s*(?:"([^"]*)"|'([^']*)')[\s)]*$/u;

/**
 * Returns what decides whether a question is shown; undefined if it is always shown, or if the answers of several
 * questions or something else decide.
 */
export function shownCondition(form: Form, { shownWhen }: Question): ShownCondition | undefined {
  if (shownWhen === null) return undefined;
  const names = namesIn(shownWhen);
  const [by, ...others] = form.questions.filter(({ name }) => names.has(name));
  if (!by || others.length > 0) return undefined;
  const [, double, single] = EQUALS_TEXT.exec(shownWhen) ?? [];
  const code = double ?? single;
  if (code === undefined) return { question: by.name, answer: undefined };
  return { question: by.name, answer: answerLabel(by, code) };
}

function answerLabel({ type, choices }: Question, code: string): string {
  if (type === 'Boolean') return code === 'true' || code === '1' ? 'Yes' : 'No';
  return findChoice(choices, code)?.label ?? code;
}
