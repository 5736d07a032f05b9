import { html, type Markup } from '../../../kernel/render/markup.ts';
import { toast } from '../design/toast.ts';
import { hiddenField } from '../components.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';

/** What an action of the work pages says when it is done, by the value of `done` in the address. */
const words: ReadonlyMap<string, string> = new Map(
  Object.entries({
    completed: 'Done.',
    skipped: 'Skipped. It comes back on its own.',
    released: 'Returned to its queue. Your answers are still there.',
    reassigned: 'Reassigned.',
    saved: 'Saved.',
    noted: 'Note added to the case.',
    moved: 'Moved.',
    prioritized: 'Priority changed.',
    undone: 'Undone.',
  }),
);

/** Returns the toast about what was just done, with a way back from a skip. */
export function doneToast(call: PageCall): readonly Markup[] {
  const done = plainText(call.query['done']);
  const text = words.get(done);
  if (text === undefined) return [];
  const was = plainText(call.query['was']);
  const canUndo = done === 'skipped' && /^\d{1,15}$/.test(was);
  const undo =
    canUndo &&
    html`<form method="post" action="/work">${csrfField(call)}${hiddenField('ID', was)}
<button class="button quiet" name="Do" value="start" data-key="z">Undo</button></form>`;
  return [toast({ text, undo })];
}
