import type { Platform } from '../../kernel/ports/platform.ts';
import type { Stage } from './play-case.ts';
import { seededRandom } from './random.ts';
import { planCases } from './world-plan.ts';

const DAY = 86_400_000;
const NAME = 'Nightly balances';
/** Nights before the present on which a file came; in some of them, some rows are wrong. */
const NIGHTS = [9, 8, 7, 6, 5, 2, 1] as const;
const WRONG_NIGHTS: ReadonlySet<number> = new Set([6, 1]);
const ROWS = 12;
/** Every so many rows of a bad night is wrong. */
const WRONG_EVERY = 4;

/** Creates the import type of the servicer's balances, and imports the files of the last nights. Some rows fail. */
export async function sendBalances(platform: Platform, { cast, clock, until }: Stage): Promise<void> {
  const { admin } = cast;
  const { rows } = await admin.call('importfiletemplate/search', {
    ImportFileTemplate: NAME,
    SqlColumns: 'ImportFileTemplateID',
  });
  if (rows.length > 0) return;
  const { row: type } = await admin.call('importfiletemplate/save', {
    ImportFileTemplate: NAME,
    AppliesTo: 'Loan',
    ImportEngine: 'DelimitedEngine',
    Description: 'The unpaid balances of all loans, which the servicer sends each night.',
  });
  const maps = [
    { ImportFileMap: 'Loan', Destination: 'Loan', ImportFileMapType: 'Key', Required: true },
    { ImportFileMap: 'Balance', Destination: 'UPBAmount', DataType: 'Money', Required: true },
  ] as const;
  for (const [at, map] of maps.entries())
    await admin.call('importfilemap/save', {
      ImportFileTemplateID: type.ImportFileTemplateID,
      Sequence: at + 1,
      ...map,
    });
  platform.configuration.expire();
  const loans = planCases(until).slice(-100);
  for (const night of NIGHTS) {
    const at = Math.floor((until - night * DAY) / DAY) * DAY + 7 * 3_600_000;
    const random = seededRandom(night);
    const lines = Array.from({ length: ROWS }, (_row, n) => {
      const { loan, balance } = random.pick(loans);
      const isWrong = WRONG_NIGHTS.has(night) && n % WRONG_EVERY === 1;
      return `${loan},${isWrong ? random.pick(['', 'n/a', '12,40']) : (balance - night * 3).toFixed(2)}`;
    });
    const name = `balances-${new Date(at).toISOString().slice(0, 10)}.csv`;
    await clock.at(at, () =>
      admin.send(
        'importfile/importbyobject',
        { Template: NAME, PreTransform_FileName: name },
        { mime: 'text/csv', text: `Loan,Balance\n${lines.join('\n')}\n` },
      ),
    );
  }
}
