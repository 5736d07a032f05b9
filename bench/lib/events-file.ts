import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { once } from 'node:events';
import { event } from '../../src/modules/cases/records/event.record.ts';

/** A complete file of events, as a firm's system writes it once a year. */
export interface EventsFile {
  readonly path: string;
  readonly rows: number;
  readonly loans: number;
  readonly form: 'delimited' | 'xml';
}

/** Event codes; each completes a task, every fifth sets a status. */
export const eventCodes: readonly string[] = Array.from(
  { length: 20 },
  (_, n) => `E${String(200 + 10 * n).padStart(4, '0')}`,
);
/** The columns of the layout. */
export const layoutNames: readonly string[] = Object.keys(event.fields).slice(0, 110);

const padded = (n: number, width: number): string => String(n).padStart(width, '0');
/** Returns the number of a loan. */
export const loanNumber = (n: number): string => `1${padded(n, 8)}`;

/**
 * Writes a file with rows in random order: every code for every loan, so that nearly every row completes a different
 * task. One row in twenty repeats an earlier one, one in a hundred names an unknown loan; 42 of 110 columns have
 * values.
 */
export async function writeEventsFile({ path, rows, loans, form }: EventsFile): Promise<void> {
  let state = 20_261_122;
  const random = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const order = Uint32Array.from({ length: rows }, (_, n) => n);
  for (let at = rows - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0];
  }
  const out = createWriteStream(path);
  let text = form === 'xml' ? '<?xml version="1.0" encoding="utf-8"?>\n<Events>\n' : '';
  for (let n = 0; n < rows; n++) {
    const which = n > 0 && random() < 0.05 ? (order[Math.floor(random() * n)] ?? 0) : (order[n] ?? 0);
    const values = rowOf(which, loans, random);
    text += form === 'xml' ? xmlRow(values) : `${values.join('|')}\n`;
    if (text.length < 1_000_000) continue;
    if (!out.write(text)) await once(out, 'drain');
    text = '';
  }
  out.end(form === 'xml' ? `${text}</Events>\n` : text);
  await finished(out);
}

function xmlRow(values: readonly string[]): string {
  const elements = values.map((value, at) => `<${layoutNames[at] ?? ''}>${value}</${layoutNames[at] ?? ''}>`);
  return `<Body>${elements.join('')}</Body>\n`;
}

function rowOf(which: number, loans: number, random: () => number): string[] {
  const loan = which % loans;
  const code = eventCodes[Math.floor(which / loans) % eventCodes.length] ?? '';
  const month = padded(1 + Math.floor(random() * 12), 2);
  const date = padded(1 + Math.floor(random() * 28), 2);
  const day = `2024-${month}-${date}T${padded(Math.floor(random() * 24), 2)}:15:00`;
  const none = '1900-01-01T00:00:00';
  const values: Readonly<Record<string, string>> = {
    RecordType: 'EVENT',
    ProviderCode: 'BENCH',
    BusinessEventCode: code,
    BusinessEventName: `Business event of code ${code}`,
    SourceSystemCode: 'SYS',
    ServicerCode: 'SVC01',
    ServicerName: 'Northgate Servicing',
    ServicerLoanNumberID: `77${padded(loan, 8)}`,
    EventActualDate: day,
    EventCreatedDate: day,
    EventRecordedDate: day,
    EventProcessID: String(which),
    ProcessorID: `P${which % 97}`,
    ProcessorName: `Processor ${which % 97}`,
    InvestorCode: 'INV1',
    InvestorName: 'Northgate Investor',
    InvestorLoanNumberID: random() < 0.01 ? `9${padded(loan, 8)}` : loanNumber(loan),
    InvestorServicerID: 'IS-100',
    PrimaryBorrowerLastName: `Family${loan % 700}`,
    PrimaryBorrowerFirstName: `Given${loan % 300}`,
    PropertyAddressANSIStateCode: '36',
    PropertyCountyANSICode: '061',
    PropertyCountryISOCode: 'USA',
    PropertyPrimaryResidenceIndicator: 'Y',
    OriginalMortgageAmount: '250000.00',
    UnpaidPrincipalBalanceAmount: '201000.55',
    OldestUnpaidInstallmentDate: '2023-11-01T00:00:00',
    LoanOriginationClosingDate: '2012-05-04T00:00:00',
    LitigationIndicator: 'N',
    LienPriorityType: '1',
    MortgageType: 'Conventional',
    MortgageFinanceType: 'FixedRate',
    LoanMilitaryProtectionStatusIndicator: 'N',
    ServicingPortfolioPoolCertIssueDate: none,
    FICOScoreVL: '640',
    InsurerMICertDate: none,
    AssignedFCAttorneyCode: 'BENCH',
    FCAttorneyFileID: `F-${loan}`,
    FCMethodType: 'Judicial',
    PropertyCurrentOccupancyType: 'OwnerOccupied',
    FCSaleScheduledDate: none,
    PreSaleBorrowerRightToCureEndDate: none,
    FCStatusType: 'Active',
    RedemptionPeriodProjectedEndDate: none,
    FinalLawDate: none,
    BKFilingDate: none,
    BKPOCBarDate: none,
    PropertyValuationAmount: '310000.00',
    PropertyValuationDate: '2024-01-01T00:00:00',
    PropertyCountyANSIName: 'New York',
    AssignedFCAttorneyName: 'Bench Law LLP',
  };
  return layoutNames.map((name) => values[name] ?? '');
}
