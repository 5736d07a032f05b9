import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import { letterTable } from './letter-table.ts';

/** Letters of a case that are shown. */
const LETTERS_SHOWN = 100;

/** The case whose letters are shown. */
interface CaseOfLetters {
  readonly name: string;
  readonly id: number;
}

/** Renders the letters of a case, the newest first; nothing if there are none. */
export async function caseLetters(call: PageCall, { name, id }: CaseOfLetters): Promise<Markup | false> {
  if (!call.may('delivery/search')) return false;
  const { answer } = await call.call('delivery/search', {
    Object: name,
    ObjectID: String(id),
    OrderBy: ['-DeliveryID'],
    DisplaySize: LETTERS_SHOWN,
    RecordCount: 'false',
  });
  if (answer.rows.length === 0) return false;
  return html`<div class="stack"><h2 id="letters-title">Letters</h2>
${await letterTable(call, answer.rows, { isSelectable: false, hasCase: false })}</div>`;
}
