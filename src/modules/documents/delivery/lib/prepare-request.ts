import { MAIL_HOUSE, type MailClass } from '../../../../contracts/delivery.ts';
import { selectListOf } from '../../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { StoredDocument } from '../../attachment/attachment.record.ts';
import { readTarget } from '../../lib/generation/generation-target.ts';
import type { LetterSource, MailingRequest, PlannedLetter } from './planned-letters.ts';
import type { RecipientChoice } from './recipients.ts';

/** Most letters of one mailing. */
export const LETTERS_MAX = 500;
/** Problems that a refusal names. */
const PROBLEMS_SHOWN = 10;

/** Parameters that describe a mailing. */
interface MailingParameters {
  readonly AttachmentID?: readonly number[] | null;
  readonly Template?: string | null;
  readonly TemplateID?: number | null;
  readonly Object?: string | null;
  readonly ObjectID?: readonly number[] | null;
  readonly Recipient: RecipientChoice;
  readonly ContactID?: number | null;
  readonly MailHouse?: string | null;
  readonly MailClass: MailClass;
  readonly AllowReturned: boolean;
}

/** Refuses a firm's user: mail houses belong to the installation. */
export function assertCanPrepare({ user }: Pick<Context, 'user'>): void {
  if (!user.universal)
    throw new PlatformError('NO_PERMISSION', { message: 'Only users with universal access can mail letters.' });
}

/**
 * Returns what is to be mailed, and how.
 * @throws MISSING_PARAMETER, BAD_PARAMETER; UNKNOWN_PROVIDER for the mail house
 */
export async function readMailing(
  ctx: Context,
  params: MailingParameters,
): Promise<{ readonly source: LetterSource; readonly request: MailingRequest }> {
  const mailHouse = knownMailHouse(ctx, params.MailHouse ?? undefined);
  const request = {
    mailHouse,
    mailClass: params.MailClass,
    choice: params.Recipient,
    contactId: params.ContactID ?? undefined,
    isReturnedAllowed: params.AllowReturned,
  };
  return { source: await readSource(ctx, params), request };
}

async function readSource(ctx: Context, params: MailingParameters): Promise<LetterSource> {
  const { AttachmentID, Template, TemplateID, Object, ObjectID } = params;
  const [first] = ObjectID ?? [];
  if ((AttachmentID ?? []).length > 0) return { documents: await readDocuments(ctx, AttachmentID ?? []) };
  if (first === undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'AttachmentID',
      message: 'AttachmentID: expected the documents, or a document type with Object and ObjectID.',
    });
  const { type, parent } = await ctx.inTransaction((own) =>
    readTarget(own, { Template, TemplateID, Object, ObjectID: first }, {}),
  );
  const ids = [...new Set(ObjectID ?? [])];
  return {
    template: { id: type.id, name: type.name },
    subjects: ids.map((id) => ({ object: parent.record.name, id })),
  };
}

/** Returns documents in the order of their names. The door has checked that they are visible. */
async function readDocuments(ctx: Context, ids: readonly number[]): Promise<readonly StoredDocument[]> {
  const rows = await ctx.db.query<StoredDocument>(
    `select ${selectListOf(ctx.registry.recordType('Attachment'))} from attachment
     where attachment.attachmentid = any($1::bigint[])`,
    [arrayLiteral(ids)],
  );
  const byId = new Map(rows.map((row) => [row.AttachmentID, row]));
  return [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
}

/** Returns a mail house's name as it is stored. */
function knownMailHouse(ctx: Context, sent: string | undefined): string {
  const names = ctx.providers.names(MAIL_HOUSE);
  if (names.length === 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'MailHouse',
      message: 'No mail house is set up yet. An administrator adds one under Configure, Mail houses.',
    });
  ctx.providers.get(MAIL_HOUSE, sent);
  return names.find((name) => name.toLowerCase() === sent?.toLowerCase()) ?? names[0] ?? '';
}

/**
 * Returns the letters that can be mailed; leaves out the others with a warning for each, if that is allowed.
 * @throws BAD_PARAMETER naming what cannot be mailed, or if there are too many or none
 */
export function mailable(
  ctx: Pick<Context, 'alert'>,
  letters: readonly PlannedLetter[],
  isSkipAllowed: boolean,
): readonly PlannedLetter[] {
  const problems = letters.flatMap(({ problem }) => problem ?? []);
  const good = letters.filter(({ problem }) => problem === undefined);
  if (problems.length > 0 && (!isSkipAllowed || good.length === 0)) {
    const more = problems.length - PROBLEMS_SHOWN;
    const rest = more > 0 ? ` ${more} more cannot be mailed either.` : '';
    throw new PlatformError('BAD_PARAMETER', {
      message: `Some letters cannot be mailed. ${problems.slice(0, PROBLEMS_SHOWN).join(' ')}${rest}`,
    });
  }
  if (letters.length > LETTERS_MAX)
    throw new PlatformError('BAD_PARAMETER', {
      message: `The mailing has ${letters.length} letters; expected at most ${LETTERS_MAX}.`,
    });
  for (const text of problems) ctx.alert({ code: 'BAD_PARAMETER', text });
  return good;
}

/** Returns the default name of a mailing. */
export function mailingName(letters: readonly PlannedLetter[]): string {
  const [first] = letters;
  const others = letters.length - 1;
  return `${first?.label ?? 'Letters'}${others > 0 ? ` and ${others} more` : ''}`.slice(0, 255);
}
