import { randomInt } from 'node:crypto';
import type { GuideNeeds } from './guide-story.ts';

/** An account to call the server with. */
export interface GuideAccounts {
  readonly url: string;
  /** An administrator's API key. */
  readonly key: string;
  /** Name and password of a firm's user. */
  readonly name: string;
  readonly password: string;
}

type Values = Readonly<Record<string, unknown>>;

/** Calls an operation as the administrator; fails unless it succeeds. */
export async function callAsAdministrator(
  { url, key }: GuideAccounts,
  route: string,
  values: Values,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/api/${route}?Output=Json`, {
    method: 'POST',
    headers: { 'X-ApiKey': key, 'Content-Type': 'application/json' },
    body: JSON.stringify(values),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${route}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Creates the records that guides say the reader has. */
export function recordsOfReaders(accounts: GuideAccounts): GuideNeeds['create'] {
  const id = async (module: string, name: string, values: Values): Promise<number> =>
    Number((await callAsAdministrator(accounts, `${module}/save`, values))[name]);
  const number = (): string => String(randomInt(100_000_000, 999_999_999));
  const loan = (values: Values): Promise<number> =>
    id('loan', 'LoanID', {
      Loan: number(),
      Status: 'Open',
      Borrowers: [{ LastName: 'Harper', FirstName: 'Ruth', BorrowerType: 'Primary', Sequence: 1 }],
      ...values,
    });
  const foreclosure = async (): Promise<number> =>
    id('foreclosure', 'ForeclosureID', {
      Foreclosure: `FC-${number()}`,
      ProcessType: 'Judicial',
      Status: 'Open',
      DateOpened: '2026-01-15',
      LoanID: await loan({}),
    });
  const records: Readonly<Record<string, () => Promise<number>>> = {
    'FHA loan': () => loan({ LoanType: 'FHA' }),
    'VA loan': () => loan({ LoanType: 'VA' }),
    'waiting loan': async () => {
      const shared = number();
      await loan({ Loan: shared, Agency: 'INVESTOR', UPBAmount: 100 });
      return waitingLoan(accounts, shared);
    },
    mailbox: () =>
      id('mailinbound', 'MailInboundID', {
        MailInbound: `Court ${number()}`,
        MailInboundType: 'ImapReceiver',
        Host: 'imap.example.com',
        UserName: 'court',
        Password: 'a password of the mailbox',
        Active: false,
      }),
    foreclosure,
    'judicial foreclosure': foreclosure,
  };
  return (noun) => {
    const create = records[noun];
    if (create === undefined) throw new Error(`no test creates "${noun}", which the guide says the reader has`);
    return create();
  };
}

/** Sends a referral with the number of another source's loan. Returns the ID of the firm's own loan, which waits. */
async function waitingLoan({ url, name, password }: GuideAccounts, number: string): Promise<number> {
  const response = await fetch(`${url}/api/import/foreclosure`, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
      'Content-Type': 'text/xml; charset=utf-8',
    },
    body: `<ImportCollection><ForeclosureItem><SubscriberID>waiting-${number}</SubscriberID>
      <Loan><Agency>INVESTOR</Agency><Loan>${number}</Loan><ServicerLoanID>S-${number}</ServicerLoanID>
      <OriginalBalance>200</OriginalBalance><UPBAmount>120</UPBAmount>
      <Borrowers><BorrowerItem><LastName>Hollis</LastName><FirstName>Ruth</FirstName>
      <BorrowerType>Primary</BorrowerType><Sequence>1</Sequence></BorrowerItem></Borrowers></Loan>
      <Foreclosure>W-${number}</Foreclosure><DateOpened>2026-01-15</DateOpened><Status>Open</Status>
      </ForeclosureItem></ImportCollection>`,
  });
  const answer = await response.text();
  const [, id] = /<Object>Loan<\/Object><ObjectID>(\d+)</.exec(answer) ?? [];
  if (id === undefined) throw new Error(`the referral of a waiting loan: ${answer}`);
  return Number(id);
}
