import type { Db } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { filingBySubject } from '../filing/subject-evidence.ts';
import type { Filing, MailToFile } from '../filing/filing.ts';
import { callStatement, type StatementMail, type StatementRow } from './call-statement.ts';

/** A rule of a mailbox. */
export interface MailProcessorRow {
  readonly id: number;
  /** What it does, for messages to people. */
  readonly name: string;
  readonly processor: 'Signature' | 'Evidence';
  readonly statement: string | null;
}

/** What the rules of a mailbox decided. */
export interface ProcessorOutcome {
  /** The first row of a statement. */
  readonly row?: StatementRow & { readonly rule: string };
  /** A rule ran an operation that returns no rows, and ended the processing. */
  readonly ranBy?: string;
  /** What the subject says. */
  readonly filing?: Filing;
  /** Why rules failed. */
  readonly problems: readonly string[];
}

/** Most rules of one mailbox. */
const PROCESSORS_MAX = 100;

/** Returns the active rules of a mailbox in their order. */
export async function processorsOf(db: Db, mailboxId: number): Promise<readonly MailProcessorRow[]> {
  return db.query<MailProcessorRow>(
    `select mailprocessorid as id, coalesce(mailprocessor, messagestatement, processor) as name,
       coalesce(processor, 'Signature') as processor, messagestatement as statement
     from mailprocessor
     where mailinboundid = $1::bigint and active is distinct from false
     order by sequence nulls last, mailprocessorid
     limit ${PROCESSORS_MAX}`,
    [mailboxId],
  );
}

/**
 * Tries the rules of a mailbox in order until one decides. A rule that fails changes nothing, and the next one is
 * tried. The subject is looked at where a rule asks for evidence, or else after all rules.
 */
export async function runProcessors(
  own: Context,
  processors: readonly MailProcessorRow[],
  mail: StatementMail & MailToFile,
): Promise<ProcessorOutcome> {
  const problems: string[] = [];
  let filing: Filing | undefined;
  for (const { processor, name, statement } of processors) {
    if (processor === 'Evidence') {
      filing ??= await filingBySubject(own, mail);
      if (filing?.isCertain === true) return { filing, problems };
      continue;
    }
    try {
      const result = await own.savepoint(() => callStatement(own, statement ?? '', mail));
      if (result.kind === 'rows') return { row: { ...result.row, rule: name }, problems };
      if (result.kind === 'ran') return { ranBy: name, problems, ...(filing ? { filing } : {}) };
      if (result.reason !== undefined) problems.push(`Rule "${name}": ${result.reason}`);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code === 'CONCURRENT_CHANGE') throw error;
      problems.push(`Rule "${name}" failed: ${error.message}`);
    }
  }
  filing ??= await filingBySubject(own, mail);
  return { problems, ...(filing ? { filing } : {}) };
}
