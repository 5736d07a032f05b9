import { readFileSync } from 'node:fs';
import { randomPassword } from '../../modules/access/person/lib/first-users.ts';

interface SampleFirm {
  readonly code: string;
  readonly organization: string;
  readonly providerCode: string;
  readonly address: {
    readonly address: string;
    readonly city: string;
    readonly state: string;
    readonly postalCode: string;
  };
  readonly phone: string;
  readonly persons: readonly {
    readonly signIn: string;
    readonly firstName: string;
    readonly lastName: string;
    readonly email: string;
    readonly role: string;
    readonly automation: boolean;
  }[];
}

interface SampleTemplates {
  readonly forms: readonly SampleTemplate[];
  readonly delays: readonly SampleTemplate[];
  readonly messages: readonly SampleTemplate[];
  readonly documents: readonly SampleTemplate[];
}

interface SampleTemplate {
  readonly name: string;
  readonly appliesTo: string;
}

/** A file of which everything was imported. */
const WHOLE = /<ImportResults [^>]*ErrorCount="0" Status="Complete"/;

const samples = new URL('../../../samples/', import.meta.url);
const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(path, samples), 'utf8'));

/** Parameters of the demo: the server's address, and an API key to configure it with. */
export interface DemoParts {
  readonly url: string;
  readonly administratorKey: string;
  readonly print: (line: string) => void;
}

/**
 * Loads the demo into an empty store: three firms with their users, the templates named by their referrals, and the
 * sample referrals, all through the server's HTTP interface. Passwords are random and printed once.
 */
export async function loadDemo(parts: DemoParts): Promise<void> {
  const { print } = parts;
  const admin = { 'X-ApiKey': parts.administratorKey };
  await saveTemplates(parts.url, admin);
  const senders = new Map<string, Record<string, string>>();
  for (const firm of readJson('firms.json') as SampleFirm[]) senders.set(firm.code, await saveFirm(parts, admin, firm));
  const referrals = readJson('referrals/index.json') as { file: string; firm: string; operation: string }[];
  let imported = 0;
  for (const { file, firm, operation } of referrals) {
    const response = await fetch(
      `${parts.url}/api/import/${operation}?PreTransform_FileName=${encodeURIComponent(file)}`,
      {
        method: 'POST',
        headers: { ...senders.get(firm), 'Content-Type': 'text/xml; charset=utf-8' },
        body: readFileSync(new URL(`referrals/${file}`, samples)),
      },
    );
    const text = await response.text();
    if (response.ok && WHOLE.test(text)) imported++;
    else print(`${file} was not imported whole: ${response.status} ${text.slice(0, 200)}`);
  }
  print(`${imported} of ${referrals.length} sample referrals were imported`);
}

async function post(
  url: string,
  headers: Record<string, string>,
  path: string,
  values: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/api/${path}?Output=Json`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(values),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the demo's ${path} failed: ${text.slice(0, 300)}`);
  return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
}

/** Saves the templates, and imports the event codes as anybody else does. */
async function saveTemplates(url: string, admin: Record<string, string>): Promise<void> {
  const { forms, delays, messages, documents } = readJson('templates.json') as SampleTemplates;
  for (const [className, templates] of [
    ['ImportFormTemplate', forms],
    ['DecisionDelayTemplate', delays],
    ['MessageTemplate', messages],
    ['AttachmentTemplate', documents],
  ] as const) {
    for (const { name, appliesTo } of templates) {
      await post(url, admin, `${className.toLowerCase()}/save`, {
        [className]: name,
        AppliesTo: appliesTo,
        Repeatable: 'Many',
      });
    }
  }
  const response = await fetch(`${url}/api/eventcode/import`, {
    method: 'POST',
    headers: { ...admin, 'Content-Type': 'text/xml; charset=utf-8' },
    body: readFileSync(new URL('event-codes.xml', samples)),
  });
  if (!response.ok) throw new Error(`the demo's event codes failed: ${(await response.text()).slice(0, 300)}`);
}

/** Creates a firm and its users. Returns the request headers of its automation user. */
async function saveFirm(
  parts: DemoParts,
  admin: Record<string, string>,
  firm: SampleFirm,
): Promise<Record<string, string>> {
  const { url, print } = parts;
  const { address, city, state, postalCode } = firm.address;
  const organization = await post(url, admin, 'organization/save', {
    Organization: firm.organization,
    ProviderCode: firm.providerCode,
    Status: 'Active',
    Address: address,
    City: city,
    State: state,
    PostalCode: postalCode,
    Methods: [{ MethodType: 'Phone', ContactValue: firm.phone }],
  });
  let sender: Record<string, string> = {};
  for (const person of firm.persons) {
    const [initial, password] = [randomPassword(), randomPassword()];
    await post(url, admin, 'person/save', {
      Person: person.signIn,
      FirstName: person.firstName,
      LastName: person.lastName,
      Email: person.email,
      Password: initial,
      OrganizationID: organization['OrganizationID'],
      Roles: person.role,
      Status: 'Active',
    });
    // A password that somebody else has set is good for nothing but choosing another.
    await post(url, { Authorization: basic(person.signIn, initial), SOAPAction: 'demo' }, 'person/changepassword', {
      CurrentPassword: initial,
      NewPassword: password,
    });
    print(`demo user of ${firm.organization}: ${person.signIn} with password ${password}`);
    if (person.automation)
      sender = {
        Authorization: basic(person.signIn, password),
        SOAPAction: 'import',
      };
  }
  return sender;
}

function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}
