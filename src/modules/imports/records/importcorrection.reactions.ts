import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { importCorrection } from './importcorrection.record.ts';

export const checks = [
  defineCheck({
    on: importCorrection,
    doc:
      'Refuses inserts except by importfile/correct, which alone corrects a row, and any change of the status: it ' +
      'decides whether the row is imported again.',
    run(_ctx, { values, id }) {
      if (id === undefined)
        throw new PlatformError('STATE_REFUSES', {
          message: 'Correct rows with importfile/correct, which imports them again.',
        });
      if (values.Status !== undefined)
        throw new PlatformError('STATE_REFUSES', {
          field: 'Status',
          message: 'Status: what came of a correction cannot change; correct a row that failed again once more.',
        });
    },
  }),
];
