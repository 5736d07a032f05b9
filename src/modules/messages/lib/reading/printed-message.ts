import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { html } from '../../../../kernel/render/markup.ts';
import type { message } from '../../message/message.record.ts';
import { messageFiles } from './message-files.ts';
import { messageFrame } from './message-frame.ts';

/** Most recipients and files that are printed; the number of the others is. */
const RECIPIENTS_MAX = 200;
const FILES_MAX = 100;

const STYLE = `body{font:11pt/1.45 "Liberation Sans",Arial,sans-serif;color:#111}
h1{font-size:15pt;margin:0 0 8pt}dl{display:grid;grid-template-columns:auto 1fr;gap:2pt 12pt;margin:0 0 10pt;
padding-bottom:8pt;border-bottom:1pt solid #999}dt{color:#555}dd{margin:0;overflow-wrap:anywhere}
.text,pre{white-space:pre-wrap;overflow-wrap:anywhere;font-family:inherit}img,table{max-width:100%}summary{display:none}
blockquote,details>*:not(summary){margin:4pt 0;padding-left:8pt;border-left:1.5pt solid #bbb}`;

/** The names of the kinds of recipients, by Category. */
const KINDS = ['To', 'Cc', 'Bcc', 'Reply-To'] as const;

interface PrintedRecipient {
  readonly category: number;
  readonly address: string | null;
  readonly name: string | null;
}

/** Returns a message as HTML to print: its headers, the whole body and the names of its documents. */
export async function printedMessage(ctx: Context, row: Row<typeof message>): Promise<string> {
  const [frame, recipients, files] = await Promise.all([
    messageFrame(ctx, row, { remoteImages: false }),
    recipientsOf(ctx, row.MessageID),
    messageFiles(ctx.db, [row.MessageID]),
  ]);
  const names = files.filter(({ isInline }) => !isInline).map(({ name }) => name);
  const lines: readonly (readonly [string, string])[] = [
    ['From', addressText(row.FromName, row.FromAddress)],
    ...KINDS.map((kind, category) => [kind, recipientText(recipients.filter((r) => r.category === category))] as const),
    ['Sent', dateText(ctx, row.SentDate ?? row.CreatedDate)],
    ['Received', dateText(ctx, row.ReceivedDate)],
    ['Documents', listText(names, FILES_MAX)],
  ];
  const shown = lines
    .filter(([, value]) => value !== '')
    .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`);
  const head = html`<style>${{ markup: STYLE }}</style><h1>${row.Message ?? 'No subject'}</h1><dl>${shown}</dl>`;
  // Nobody opens a fold on paper.
  return head.markup + frame.html.replaceAll('<details>', '<details open>');
}

async function recipientsOf({ db }: Context, messageId: number): Promise<readonly PrintedRecipient[]> {
  return db.query<PrintedRecipient>(
    `select coalesce(category, 0) as category, messagerecipient as address, name from messagerecipient
     where messageid = $1::bigint and status is distinct from 'Inactive' order by category, messagerecipientid`,
    [messageId],
  );
}

function recipientText(recipients: readonly PrintedRecipient[]): string {
  return listText(
    recipients.map(({ name, address }) => addressText(name, address)),
    RECIPIENTS_MAX,
  );
}

function addressText(name: string | null, address: string | null): string {
  const plain = name?.trim() ?? '';
  if (plain === '' || plain === address) return address ?? '';
  return address === null ? plain : `${plain} <${address}>`;
}

function listText(texts: readonly string[], most: number): string {
  const more = texts.length > most ? `, and ${texts.length - most} more` : '';
  return texts.slice(0, most).join(', ') + more;
}

function dateText({ settings }: Context, at: string | null): string {
  if (at === null) return '';
  const zone = settings.get(timeZone);
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'long', timeZone: zone }).format(
    new Date(at),
  );
}
