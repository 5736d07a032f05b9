import { deleteAfterMonths } from '../../../kernel/database/delete-by-age.ts';
import { importLogMonths } from '../../../kernel/declare/core-settings.ts';
import type { Platform } from '../../../kernel/ports/platform.ts';

/** Housekeeping: deletes entries of the import log past their time; returns how many. */
export const sweepImportLog = {
  name: 'import log past its time',
  everyMinutes: 360,
  run: (platform: Platform): Promise<number> => deleteAfterMonths(platform, 'importlog', importLogMonths),
} as const;

/** Housekeeping: deletes finished rows of batches past the time of the import log; returns how many. */
export const sweepBatchRows = {
  name: 'rows of batches past their time',
  everyMinutes: 360,
  run: (platform: Platform): Promise<number> =>
    deleteAfterMonths(platform, 'importfilequeue', importLogMonths, 'coalesce(successdate, failuredate) is not null'),
} as const;

/** Housekeeping: deletes corrections of import rows past the time of the import log; returns how many. */
export const sweepCorrections = {
  name: 'corrections of import rows past their time',
  everyMinutes: 360,
  run: (platform: Platform): Promise<number> =>
    deleteAfterMonths(platform, 'importcorrection', importLogMonths, "status <> 'Queued'"),
} as const;
