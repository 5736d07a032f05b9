import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { MergeData } from '../../../../lib/merge/merge-data.ts';
import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import { parseRecipients } from './address-list.ts';
import { personRecipients } from './contact-recipients.ts';
import { methodRecipients, RECIPIENTS_MAX } from './method-recipients.ts';
import { templateRecipients, type RecipientColumns } from './template-recipients.ts';
import {
  distinctRecipients,
  recipientKinds,
  type FoundRecipients,
  type MessageKind,
  type Recipient,
  type RecipientKind,
} from './recipient.ts';

/** The parameters of a call that name recipients: two names for each kind, and a method. */
export type RecipientParameters = {
  readonly [K in RecipientKind | `${RecipientKind}${'Address' | 'Method'}`]?: string | null;
};

/** Where the recipients of a message come from. */
export interface RecipientSources {
  readonly message: MessageKind;
  readonly sent: RecipientParameters;
  /** The template whose recipients are added. */
  readonly template: RecipientColumns | undefined;
  /** Whether the template is being edited, so that the caller names its recipients. */
  readonly isDraft?: boolean;
  readonly data: MergeData;
}

/** Most recipients without an address that warnings name. */
const MISSING_NAMED_MAX = 5;

/** Returns all recipients of a message, each once, and who has no address. Needs a transaction. */
export async function gatherRecipients(
  ctx: Context,
  { message, sent, template, data, isDraft = false }: RecipientSources,
): Promise<FoundRecipients> {
  const found: FoundRecipients[] = [];
  for (const kind of recipientKinds) {
    for (const field of [`${kind}Address`, kind] as const)
      found.push(await sentRecipients(ctx, sent[field] ?? '', { kind, message, source: field }));
    const method = sent[`${kind}Method`] ?? '';
    if (method.trim() !== '')
      found.push(
        await methodRecipients(ctx, method, (expression) => data.value(expression), {
          kind,
          message,
          source: `${kind}Method`,
        }),
      );
  }
  if (template) found.push(...(await templateRecipients(ctx, template, data, { message, isDraft })));
  const recipients = distinctRecipients(found.flatMap((each) => each.recipients));
  if (recipients.length > RECIPIENTS_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'To',
      message: `To: the message has ${recipients.length} recipients; expected at most ${RECIPIENTS_MAX}.`,
    });
  return { recipients, missing: found.flatMap((each) => each.missing) };
}

/** Warns of recipients that have no address. */
export function warnMissing(ctx: Pick<Context, 'alert'>, { missing }: FoundRecipients): void {
  for (const [source, of] of Map.groupBy(missing, (each) => each.source)) ctx.alert(missingWarning(source, of));
}

/** Returns the warning about recipients of one source that have no address. */
export function missingWarning(
  source: string,
  missing: FoundRecipients['missing'],
): { readonly code: string; readonly text: string } {
  const named = missing.slice(0, MISSING_NAMED_MAX).map(({ who }) => who);
  const more = missing.length > named.length ? ` and ${missing.length - named.length} more` : '';
  return {
    code: 'NO_ADDRESS',
    text: `${source}: no valid address is known for ${named.join(', ')}${more}; they do not get the message.`,
  };
}

/** Returns the addresses that a call sends; of a note, the names of users. */
async function sentRecipients(
  ctx: Context,
  text: string,
  { kind, message, source }: { readonly kind: RecipientKind; readonly message: MessageKind; readonly source: string },
): Promise<FoundRecipients> {
  if (text.trim() === '') return { recipients: [], missing: [] };
  if (message === 'Note') return namedUsers(ctx, splitCommaList(text), { kind, message, source });
  const recipients = parseRecipients(text, message, source).map(({ address, name }): Recipient => ({
    kind,
    source,
    address,
    name,
    contactId: null,
    personId: null,
    language: null,
  }));
  return { recipients, missing: [] };
}

async function namedUsers(
  ctx: Context,
  names: readonly string[],
  use: { readonly kind: RecipientKind; readonly message: MessageKind; readonly source: string },
): Promise<FoundRecipients> {
  const rows = await ctx.db.query<{ id: number; name: string }>(
    'select personid as id, lower(person) as name from person where person = any($1::text[])',
    [arrayLiteral(names)],
  );
  const unknown = names.find((name) => !rows.some((row) => row.name === name.toLowerCase()));
  if (unknown !== undefined)
    throw new PlatformError('BAD_PARAMETER', {
      field: use.source,
      message: `${use.source}: "${unknown.slice(0, 100)}" is not a user; expected names of users, comma-separated.`,
    });
  return personRecipients(
    ctx.db,
    rows.map(({ id }) => id),
    use,
  );
}
