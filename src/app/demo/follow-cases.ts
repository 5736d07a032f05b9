import type { Stage } from './play-case.ts';

const HOUR = 3_600_000;
/** Cases that the demo's clerk follows. */
const FOLLOWED = 4;

/**
 * Lets the demo's clerk follow some cases, on which colleagues then write a note, mention the clerk, file a document
 * and move a sale: the clerk begins with a few notifications to read.
 */
export async function followCases({ cast, clock }: Stage): Promise<void> {
  const [clerk, colleague] = [cast.byTeam.get('Intake')?.[0], cast.byTeam.get('Title')?.at(-1)];
  if (!clerk || !colleague) return;
  const { rows: known } = await clerk.call('follow/mine', {});
  if (known.length > 0) return;
  const { rows } = await clerk.call('foreclosure/search', {
    ScheduledSaleDate: `>= ${clock.now().slice(0, 10)}`,
    OrderBy: 'ScheduledSaleDate',
    DisplaySize: FOLLOWED,
    SqlColumns: 'ForeclosureID,ScheduledSaleDate',
    RecordCount: false,
  });
  for (const { ForeclosureID: id } of rows) await clerk.call('follow/add', { Object: 'Foreclosure', ObjectID: id });
  const [first, second, third, fourth] = rows;
  const about = (row: (typeof rows)[number]) => ({ Object: 'Foreclosure', ObjectID: row.ForeclosureID }) as const;
  const at = (hours: number, run: () => Promise<unknown>): Promise<unknown> =>
    clock.at(clock.milliseconds() - hours * HOUR, run);
  if (first)
    await at(5, () =>
      colleague.call('attachment/save', {
        ...about(first),
        Attachment: 'Corrected title report',
        FileName: 'corrected-title-report.txt',
        Content: Buffer.from('Corrected title report\n\nTwo exceptions remain.\n').toString('base64'),
      }),
    );
  if (second)
    await at(4, () =>
      colleague.call('message/save', {
        ...about(second),
        Message: 'Borrower called about reinstatement',
        BodyText: '@dana.okafor, the borrower asks for the amount by Friday. Can you send it?',
      }),
    );
  if (third?.ScheduledSaleDate)
    await at(2, () =>
      colleague.call('foreclosure/save', {
        ID: third.ForeclosureID,
        ScheduledSaleDate: weekLater(third.ScheduledSaleDate ?? ''),
      }),
    );
  if (fourth)
    await at(1, () =>
      colleague.call('message/save', {
        ...about(fourth),
        Message: 'Publisher confirmed',
        BodyText: 'The notice of sale runs on three Mondays in a row.',
      }),
    );
}

function weekLater(date: string): string {
  return new Date(Date.parse(date) + 7 * 24 * HOUR).toISOString().slice(0, 10);
}
