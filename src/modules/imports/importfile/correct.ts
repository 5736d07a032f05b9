import { item } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { parseChanges } from './lib/correct/changed-cells.ts';
import { correctRows } from './lib/correct/correct-rows.ts';
import { hasParts } from './lib/correct/document-parts.ts';
import { sendPartsAgain } from './lib/correct/send-parts-again.ts';
import { requireRows } from './lib/correct/source-lines.ts';
import { openImportFile } from './lib/open-import-file.ts';

export const operation = defineOperation({
  module: 'importfile',
  name: 'Correct',
  method: 'POST',
  summary:
    'Corrects cells of failed rows of an import that has ended, and imports these rows again: those of Line, or all ' +
    'that failed for the reason Message. Failed items of referrals and rows of event files are sent again as an ' +
    'import of their own, and a refused document as a whole. The file that was sent stays as it is; each correction ' +
    'is an ImportCorrection. A row is imported at most once.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The import file.' })),
    Line: f.idList({ doc: 'Lines of the rows, as SourceLine in the import log.', max: 1000 }),
    Message: f.text({
      doc: 'Instead of Line: all rows that failed with exactly this message, at most 10,000.',
      max: 10000,
    }),
    Changes: required(
      f.text({
        doc:
          'New values by column of the file, as a query string: `Investor=Investor+A`. Columns of referrals are ' +
          'paths: `Loan/UPBAmount`; `Loan/+UPBAmount` adds an absent element, and an empty value removes one. ' +
          'Without Line and Message they begin with the number of their item: `2/Loan/UPBAmount`.',
        max: 100000,
      }),
    ),
    From: f.text({
      doc: 'Only rows whose cell has this value; Changes then has one column.',
      max: 10000,
    }),
    Remember: f.boolean({
      doc:
        "Whether the import type's map of the column also translates From to the new value in later files. Requires " +
        'the permission ImportFileMapSave.',
      default: false,
    }),
  },
  transactions: 'own',
  returns: {
    Corrected: required(f.integer({ doc: 'Rows that were saved.' })),
    Failed: required(f.integer({ doc: 'Rows that failed again.' })),
    Queued: required(
      f.integer({ doc: "Rows that a worker saves: of more than 200, and of a firm's file, as the user who sent it." }),
    ),
    SentImportFileID: f.id({
      doc: 'The import as which items of a referral or rows of an event file were sent again.',
      to: 'ImportFile',
    }),
  },
  answerName: 'ImportCorrections',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'BAD_PARAMETER', 'MISSING_PARAMETER', 'NO_PERMISSION'],
  source: 'checklist WEB-03',
});

export const run = handle(operation, async (ctx, { Line, Message, Changes, From, Remember }) => {
  const stored = namedRow(ctx, ctx.record);
  const changes = parseChanges(Changes);
  const file = await openImportFile(ctx, stored);
  const correction = {
    lines: Line ?? undefined,
    message: Message ?? undefined,
    changes,
    from: From ?? undefined,
    remember: Remember,
    senderId: stored.CreatedPersonID,
    hasEnded: stored.ImportComplete !== null,
  };
  if (!hasParts(file)) {
    const counts = await correctRows(ctx, requireRows(file), correction);
    return item('ImportCorrections', operation.returns, { ...counts, SentImportFileID: null });
  }
  const { id, count } = await sendPartsAgain(ctx, file, correction);
  return item('ImportCorrections', operation.returns, { Corrected: 0, Failed: 0, Queued: count, SentImportFileID: id });
});
