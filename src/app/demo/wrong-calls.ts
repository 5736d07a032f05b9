import type { Platform } from '../../kernel/ports/platform.ts';
import { demoUser, type NoteCall } from './demo-user.ts';
import type { Stage } from './play-case.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The user of a firm that sends files. */
const SENDER = 'northgate.import';
/** A case that does not exist, of which the demo's queued call changes the sale. */
const UNKNOWN_CASE = 990_417;
/** The call that is queued, and its label. */
const WRONG_CALL = 'foreclosure/save';
const LABEL = 'Sale dates of the county';
/** The code of a firm's event, and the firm. */
const EVENT = { code: 'E0200', provider: 'NGL' } as const;
/** Cases of which the file reports something. */
const EVENTS = 4;

/**
 * Creates work for an operator: a firm's file of events with a row that has a wrong date, and a queued call
 * for a case that does not exist, which ends as a dead letter.
 */
export async function sendWrongCalls(platform: Platform, stage: Stage, noteCall: NoteCall): Promise<void> {
  const { cast, clock } = stage;
  const { rows: sent } = await cast.admin.call('queue/search', { Operation: WRONG_CALL, QueueLabel: LABEL });
  if (sent.length > 0) return;
  await sendEvents(platform, stage, noteCall);
  await clock.at(clock.milliseconds() - HOUR, () =>
    cast.admin.queue(
      WRONG_CALL,
      {
        ID: UNKNOWN_CASE,
        ScheduledSaleDate: new Date(clock.milliseconds() + 30 * DAY).toISOString().slice(0, 10),
      },
      LABEL,
    ),
  );
}

async function sendEvents(platform: Platform, { cast, clock }: Stage, noteCall: NoteCall): Promise<void> {
  const { admin } = cast;
  const { rows: senders } = await admin.call('person/search', {
    Person: SENDER,
    SqlColumns: 'PersonID,OrganizationID',
  });
  const [sender] = senders;
  const { rows: codes } = await admin.call('eventcode/search', { EventCode: EVENT.code, SqlColumns: 'EventCodeID' });
  if (!sender || codes.length === 0) return;
  const { rows: cases } = await admin.call('foreclosure/search', {
    OrganizationID: sender.OrganizationID,
    DateClosed: 'null',
    OrderBy: '-ForeclosureID',
    DisplaySize: EVENTS,
    SqlColumns: 'Foreclosure,LoanID',
    RecordCount: false,
  });
  const { rows: loans } = await admin.call('loan/search', {
    LoanID: cases.map(({ LoanID }) => LoanID).join(','),
    SqlColumns: 'LoanID,Loan',
  });
  const loanOf = new Map(loans.map(({ LoanID, Loan }) => [LoanID, Loan ?? '']));
  const day = new Date(clock.milliseconds() - DAY).toISOString().slice(0, 10);
  const events = cases.map(({ Foreclosure: file, LoanID }, n) =>
    // The day and the month of the first event are exchanged.
    eventXml(loanOf.get(LoanID ?? 0) ?? '', file ?? '', n === 0 ? `${day.slice(0, 4)}-31-11` : day),
  );
  const user = demoUser(platform, await platform.identity.ofPerson(sender.PersonID), noteCall);
  await clock.at(clock.milliseconds() - 3 * HOUR, () =>
    user.send(
      'import/legacyevents',
      { PreTransform_FileName: `Northgate-Events-${day}.txt` },
      { mime: 'text/xml', text: `<Events>\n${events.join('')}</Events>\n` },
    ),
  );
}

function eventXml(loan: string, file: string, date: string): string {
  return `<Event>
  <RecordType>EVENT</RecordType>
  <ProviderCode>${EVENT.provider}</ProviderCode>
  <BusinessEventCode>${EVENT.code}</BusinessEventCode>
  <EventActualDate>${date}</EventActualDate>
  <InvestorLoanNumberID>${loan}</InvestorLoanNumberID>
  <FCAttorneyFileID>${file}</FCAttorneyFileID>
</Event>
`;
}
