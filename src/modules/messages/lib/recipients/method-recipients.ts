import type { Answer, ListAnswer, TreeAnswer, TreeNode } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { callSignature, fillSignature, parseSignature, type Resolve } from '../../../../kernel/door/signature.ts';
import { checkedAddress, nameBeside } from './recipient-address.ts';
import { contactRecipients, personRecipients, type RecipientUse } from './contact-recipients.ts';
import type { FoundRecipients, Recipient } from './recipient.ts';

/** Most rows of a method. */
export const RECIPIENTS_MAX = 20_000;

/** A row of a method that names recipients; names of columns ignore case. */
interface MethodRow {
  readonly email: string | undefined;
  readonly contactId: number | undefined;
  readonly personId: number | undefined;
  readonly name: string | undefined;
}

/**
 * Returns the recipients that a method signature returns: each row's Email, or the contact of its ContactID or the user
 * of its PersonID. Calls the operation as the calling user, whose permission is checked. Needs a transaction.
 *
 * @throws BAD_SIGNATURE if the operation changes something; BAD_PARAMETER without such a column
 */
export async function methodRecipients(
  ctx: Context,
  signature: string,
  resolve: Resolve,
  use: RecipientUse,
): Promise<FoundRecipients> {
  const rows = await readRows(ctx, signature, resolve, use.source);
  const contacts: number[] = [];
  const persons: number[] = [];
  const written: Recipient[] = [];
  for (const { email, contactId, personId, name } of rows) {
    if (email !== undefined && use.message !== 'Note')
      written.push({
        kind: use.kind,
        source: use.source,
        address: checkedAddress(email, use.message, use.source),
        name: nameBeside(name),
        contactId: contactId ?? null,
        personId: null,
        language: null,
      });
    else if (personId !== undefined) persons.push(personId);
    else if (contactId !== undefined) contacts.push(contactId);
  }
  const ofContacts = await contactRecipients(ctx, ctx.db, contacts, use);
  const ofPersons = await personRecipients(ctx.db, persons, use);
  return {
    recipients: [...written, ...ofContacts.recipients, ...ofPersons.recipients],
    missing: [...ofContacts.missing, ...ofPersons.missing],
  };
}

async function readRows(ctx: Context, text: string, resolve: Resolve, field: string): Promise<readonly MethodRow[]> {
  const use = { field, module: 'message', onlyReads: true } as const;
  const signature = parseSignature(text, use);
  const [module = '', ...path] = signature.route.toLowerCase().split('/');
  const operation = await ctx.findOperation(module, path.join('/'));
  const rows: MethodRow[] = [];
  const take = (found: readonly Readonly<Record<string, unknown>>[]): void => {
    if (rows.length + found.length > RECIPIENTS_MAX)
      throw new PlatformError('TOO_LARGE', {
        field,
        message: `${field}: the method returns more than ${RECIPIENTS_MAX} recipients.`,
      });
    rows.push(...found.map((row) => methodRow(row, field)));
  };
  if (operation?.returns === 'list' && operation.effect === 'read')
    await ctx.readNamed(signature.route, await fillSignature(signature, resolve), async (piece) => take(rowsOf(piece)));
  else take(rowsOf(await callSignature(ctx, text, use, resolve)));
  return rows;
}

function rowsOf(answer: Answer | ListAnswer | TreeAnswer): readonly Readonly<Record<string, unknown>>[] {
  switch (answer.kind) {
    case 'list':
      return answer.rows as readonly Readonly<Record<string, unknown>>[];
    case 'item':
      return [answer.row as Readonly<Record<string, unknown>>];
    case 'tree':
      return treeRows(answer.root);
    default:
      return [];
  }
}

/** Returns the elements of a tree that have an Email, a ContactID or a PersonID. */
function treeRows(node: TreeNode): readonly Readonly<Record<string, unknown>>[] {
  const leaves = (node.children ?? []).filter(({ children }) => !children);
  const own = leaves.some(({ name }) => /^(?:email|contactid|personid)$/i.test(name))
    ? [Object.fromEntries(leaves.map(({ name, value }) => [name, value]))]
    : [];
  return [...own, ...(node.children ?? []).flatMap(treeRows)];
}

function methodRow(row: Readonly<Record<string, unknown>>, field: string): MethodRow {
  const byName = new Map(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]));
  if (!['email', 'contactid', 'personid'].some((name) => byName.has(name)))
    throw new PlatformError('BAD_PARAMETER', {
      field,
      message:
        `${field}: the rows have the columns ${[...Object.keys(row)].slice(0, 20).join(', ')}; ` +
        'expected Email or ContactID.',
    });
  const text = (name: string): string | undefined => {
    const value = byName.get(name);
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  };
  const id = (name: string): number | undefined => {
    const value = Number(byName.get(name) ?? 0);
    return Number.isSafeInteger(value) && value > 0 ? value : undefined;
  };
  return { email: text('email'), contactId: id('contactid'), personId: id('personid'), name: text('name') };
}
