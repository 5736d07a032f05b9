import { createHash } from 'node:crypto';
import { discardStaged } from '../../../../kernel/documents/discard-staged.ts';
import { readAll } from '../../../../kernel/parameters/body-parameters.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { toUtf8 } from '../../../../kernel/xml/prolog.ts';
import { findNewestDocument } from '../../../documents/public/documents-of-record.ts';
import { STYLESHEET_CHARACTERS_MAX } from '../../../../kernel/xml/stylesheet.ts';
import type { businessRule } from '../businessrule.record.ts';
import type { StoredDocument } from '../../../documents/attachment/attachment.record.ts';

/** File names of a rule's stylesheet. Other documents on the rule, such as notes, are ignored. */
const STYLESHEET_FILE = /\.xslt?$/i;
/** Longest file in bytes: a character takes up to four. */
const BYTES_MAX = 4 * STYLESHEET_CHARACTERS_MAX;

/** A document on a rule. */
type RuleStylesheet = StoredDocument & { readonly ObjectID: number };

/** Whether a document is a rule's stylesheet, by its parent and file name. */
export function isRuleStylesheet(document: StoredDocument): document is RuleStylesheet {
  return (
    document.Object === 'BusinessRule' &&
    document.ObjectID !== null &&
    document.FileName !== null &&
    STYLESHEET_FILE.test(document.FileName)
  );
}

/** Returns the latest stylesheet document of a rule. */
function latestDocument(
  ctx: Context,
  ruleId: number,
): Promise<{ readonly id: number; readonly hash: string | null } | undefined> {
  return findNewestDocument(ctx.db, { object: 'BusinessRule', id: ruleId }, STYLESHEET_FILE.source);
}

/** Stores a rule's stylesheet as a document on the rule, unless it is already stored. */
export async function saveStylesheetDocument(ctx: Context, rule: Row<typeof businessRule>): Promise<void> {
  const { Stylesheet: text, BusinessRuleID: id } = rule;
  if (text === null || text === '') return;
  const bytes = Buffer.from(text);
  const known = await latestDocument(ctx, id);
  if (known?.hash === createHash('sha256').update(bytes).digest('hex')) return;
  const fileName = `${
    String(rule.BusinessRule)
      .replace(/[^\p{L}\p{N}._-]+/gu, ' ')
      .trim()
      .slice(0, 100) || 'rule'
  }.xslt`;
  const staged = await ctx.documents.stage(
    (async function* () {
      yield bytes;
    })(),
    { fileName },
  );
  try {
    await ctx.call('attachment/save', {
      ...(known ? { ID: known.id } : { Object: 'BusinessRule', ObjectID: id, Attachment: 'Stylesheet' }),
      FileName: fileName,
      Staged: staged.token,
    });
  } finally {
    await discardStaged(ctx, [staged]);
  }
}

/**
 * Makes a document attached to a rule its stylesheet. The caller needs the permission to change the rule: permission to
 * attach documents must not be enough to set rules for everyone.
 */
export async function applyStylesheetDocument(ctx: Context, document: RuleStylesheet): Promise<void> {
  const { ObjectID: ruleId } = document;
  const [rule] = await ctx.db.query<{ stylesheet: string | null }>(
    'select stylesheet from businessrule where businessruleid = $1::bigint',
    [ruleId],
  );
  // The document was made from the stylesheet: its file need not be read, and may be waiting for its malware scan.
  if (
    !rule ||
    document.FileHash ===
      createHash('sha256')
        .update(rule.stylesheet ?? '')
        .digest('hex')
  )
    return;
  const text = await stylesheetText(ctx, document);
  if (rule.stylesheet === text || (await latestDocument(ctx, ruleId))?.id !== document.AttachmentID) return;
  await ctx.callNamed('businessrule/update', { ID: ruleId, Stylesheet: text });
}

/** Clears the rule's stylesheet after its document was deleted. Throws STATE_REFUSES if the rule is active. */
export async function clearDeletedStylesheet(ctx: Context, document: RuleStylesheet): Promise<void> {
  const { ObjectID: ruleId } = document;
  const [rule] = await ctx.db.query<{ status: string | null }>(
    'select status from businessrule where businessruleid = $1::bigint',
    [ruleId],
  );
  if (!rule || (await latestDocument(ctx, ruleId)) !== undefined) return;
  if (rule.status === 'Active')
    throw new PlatformError('STATE_REFUSES', {
      message:
        "The document is the stylesheet of an active business rule. Set the rule's Status to Inactive first, " +
        'or delete the rule.',
    });
  await ctx.callNamed('businessrule/update', { ID: ruleId, Stylesheet: '' });
}

async function stylesheetText(ctx: Context, document: RuleStylesheet): Promise<string> {
  const content = await ctx.documents.content(document);
  if (content.size > BYTES_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'Content',
      message: `Content: a stylesheet has at most ${STYLESHEET_CHARACTERS_MAX} characters.`,
    });
  const bytes = toUtf8(await readAll(content.open(), BYTES_MAX));
  return new TextDecoder('utf-8').decode(bytes);
}
