import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import type { RejectedAnswers } from './form-entry.ts';
import { withPeople } from './form-people.ts';
import { formView, type FormView } from './form-view.ts';
import { answerInputText, changedAnswers } from './questions.ts';

/** Returns what the pressed button changes besides the answers. */
export function submittedAction({ form, platform }: PageCall): Record<string, string> {
  const pressed = plainText(form['Do'] ?? 'save');
  if (pressed === 'complete') return { ActualCompletion: platform.clock.now() };
  return pressed.startsWith('move ') ? { Status: pressed.slice('move '.length) } : {};
}

/**
 * Saves the submitted answers of a task, and completes it or moves it to another status if its button does that. What
 * is saved is no draft any more. Returns whether anything was saved.
 */
export async function submitAnswers(call: PageCall, taskId: number): Promise<boolean> {
  const changed = changedAnswers(call.form);
  const action = submittedAction(call);
  if (Object.keys(changed).length === 0 && Object.keys(action).length === 0) return false;
  await call.call(
    'importform/update',
    { ID: taskId, Version: plainText(call.form['Version']) },
    { ...action, ...changed },
  );
  if (!('ActualCompletion' in action)) await call.call('importform/draft', { ID: taskId, Discard: 'true' });
  return true;
}

/** Whether the pressed button requests more rows to fill in, without a script that adds them. */
export function asksForRows({ form }: PageCall): boolean {
  return plainText(form['Do']) === 'rows';
}

/** Stores the submitted answers of a task as its draft, for a page with more rows to fill in. */
export async function draftAnswers(call: PageCall, taskId: number): Promise<void> {
  const changed = changedAnswers(call.form);
  if (Object.keys(changed).length > 0) await call.call('importform/draft', { ID: taskId }, changed);
}

/** Reads a form, with its draft if it is a task's. */
export async function readFormView(
  call: PageCall,
  operation: 'describe' | 'evaluate',
  parameters: Parameters,
): Promise<FormView> {
  const { answer } = await call.call(`importform/${operation}`, {}, parameters);
  return withPeople(call, formView(answer.root));
}

/** A submitted form that was rejected. `parameters`: those that name the form. */
export interface SubmittedForm {
  readonly parameters: Record<string, string>;
  readonly changed: Readonly<Record<string, string>>;
}

/** The form as it was submitted, with its problems. */
export interface RejectedForm {
  readonly form: FormView;
  readonly rejected: RejectedAnswers;
}

/**
 * Reads a rejected form as it was submitted. After a conflict it is based on the task's current answers.
 * @throws the error itself unless the user can do something about it
 */
export async function rejectedForm(
  call: PageCall,
  { parameters, changed }: SubmittedForm,
  error: unknown,
): Promise<RejectedForm> {
  if (!(error instanceof PlatformError) || error.status >= 500) throw error;
  const current = await readFormView(call, 'describe', parameters);
  // Rejected answers can make an expression fail. That must not lose what was entered.
  const evaluated = await readFormView(call, 'evaluate', { ...parameters, ...changed }).catch((failed: unknown) => {
    if (failed instanceof PlatformError && failed.status < 500) return current;
    throw failed;
  });
  const before = new Map(current.questions.map((question) => [question.name, answerInputText(call, question)]));
  return { form: evaluated, rejected: { error: error.masked(), before } };
}
