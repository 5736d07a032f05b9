import type { Context } from '../../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';

/** A failed row of an import, as its log has it. */
export interface FailedLine {
  /** Null for a part of a document that was refused as a whole: its log names no parts. */
  readonly importLogId: number | null;
  readonly line: number;
  readonly label: string | null;
  readonly message: string;
  /** The column that is wrong, if it is a single one. */
  readonly column: string | null;
}

/** Which failed rows. */
export interface FailedLineFilter {
  /** Only these lines. */
  readonly lines?: readonly number[] | undefined;
  /** Only rows that failed for this reason. */
  readonly message?: string | undefined;
  readonly after?: number;
  readonly most: number;
}

/** What was sent again, corrected, has its results there. */
const NOT_SENT_AGAIN = `not exists (select from importcorrection sent where sent.importfileid = importlog.importfileid
       and sent.sourceline = importlog.sourceline and sent.sentimportfileid is not null)`;

/** Returns failed rows of an import by line. A row with several results has the first. */
export function selectFailedLines(
  ctx: Pick<Context, 'db'>,
  importFileId: number,
  { lines, message, after = 0, most }: FailedLineFilter,
): Promise<FailedLine[]> {
  return ctx.db.query<FailedLine>(
    `select distinct on (sourceline) importlogid as "importLogId", sourceline as line, importlog as label,
       coalesce(message, 'It failed.') as message, sourcecolumn as "column"
     from importlog
     where importfileid = $1::bigint and status = 'Error' and sourceline > $2::integer
       and ($3::integer[] is null or sourceline = any($3::integer[]))
       and ($4::text is null or coalesce(message, 'It failed.') = $4::text)
       and ${NOT_SENT_AGAIN}
     order by sourceline, importlogid
     limit $5::integer`,
    [importFileId, after, lines === undefined ? null : arrayLiteral(lines), message ?? null, most],
  );
}

/** Failed rows of an import with the same reason. */
export interface FailureCause {
  readonly Message: string;
  readonly SourceColumn: string | null;
  readonly Count: number;
  readonly FirstLine: number;
}

/** Returns why rows of an import failed, the most frequent reason first, at most `most`. */
export function selectFailureCauses(
  ctx: Pick<Context, 'db'>,
  importFileId: number,
  most: number,
): Promise<FailureCause[]> {
  return ctx.db.query<FailureCause>(
    `select coalesce(message, 'It failed.') as "Message", max(sourcecolumn) as "SourceColumn",
       count(distinct sourceline)::integer as "Count", min(sourceline) as "FirstLine"
     from importlog
     where importfileid = $1::bigint and status = 'Error' and ${NOT_SENT_AGAIN}
     group by 1
     order by 3 desc, 4
     limit $2::integer`,
    [importFileId, most],
  );
}

/** Returns every reason why these lines failed, in order: an item of a referral can fail in several places. */
export function selectReasons(
  ctx: Pick<Context, 'db'>,
  importFileId: number,
  lines: readonly number[],
): Promise<{ readonly line: number; readonly message: string }[]> {
  return ctx.db.query<{ line: number; message: string }>(
    `select sourceline as line, coalesce(message, 'It failed.') as message from importlog
     where importfileid = $1::bigint and status = 'Error' and sourceline = any($2::integer[])
     order by sourceline, importlogid limit 1000`,
    [importFileId, arrayLiteral(lines)],
  );
}
