/** What pages offer to users who may do almost nothing: only what they may do. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client } from '../../support/client.ts';
import { testSession, type TestSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { workflowCalls } from '../../support/work/workflows.ts';
import { workWorld } from '../../support/work/work-world.ts';

/** Most pages that are visited, each of another route. */
const PAGES_MAX = 250;
const FORBIDDEN = 403;

const p = await testPlatform({ after });
const admin = client(p);
const world = await workWorld(p);
const { template, start } = workflowCalls(p);
const caseId = await world.addCase('FC-1', 'Delgado, Marisol', '88 Linden Ave');
const { taskId, itemId } = await world.addTask(caseId, 3);
await template('Review', [{ name: 'Look' }]);
await start('Review', caseId);
await admin.save('decisiondelaytemplate', { DecisionDelayTemplate: 'Workout', AppliesTo: 'Foreclosure' });
await admin.save('message', { Object: 'Foreclosure', ObjectID: caseId, Message: 'Note', BodyText: 'Called.' });
await world.refresh();

/** Addresses that exist for everybody, to begin with; links lead further. */
const beginnings = [
  '/',
  '/work',
  `/work?item=${itemId}`,
  '/team',
  '/cases',
  '/contacts',
  '/documents',
  '/messages',
  '/imports',
  '/configure',
  '/records',
  '/preferences',
  '/notifications',
  `/case/foreclosure/${caseId}`,
  `/form/${taskId}`,
];

/** Returns what pages with the same offers have in common: the path without ids, and the tab. */
function routeOf(path: string): string {
  const [route = '', query = ''] = path.replaceAll(/\d+/g, '0').split('?');
  return query.startsWith('tab=') ? `${route}?${query}` : route;
}

interface Form {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly buttons: readonly (readonly [name: string, value: string])[];
}

/** Returns the forms of a page that are posted, with what a browser would send. */
function formsOf(page: string, path: string): readonly Form[] {
  return [...page.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].flatMap(([, head = '', body = '']) => {
    if (!head.includes('method="post"')) return [];
    const pairs = (kind: RegExp): (readonly [string, string])[] =>
      [...body.matchAll(kind)].map(([tag]) => [attribute(tag, 'name'), attribute(tag, 'value')] as const);
    return [
      {
        action: attribute(head, 'action') || path,
        fields: Object.fromEntries(pairs(/<input\b[^>]*>/g).filter(([name]) => name !== '')),
        buttons: pairs(/<button\b(?![^>]*type="button")[^>]*>/g),
      },
    ];
  });
}

function attribute(tag: string, name: string): string {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  return value.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Visits pages from link to link. Returns what was offered and then refused, and how many pages were shown. */
async function refusedOffers(session: TestSession): Promise<{ refused: readonly string[]; shown: number }> {
  let shown = 0;
  const refused: string[] = [];
  const seen = new Set(beginnings.map(routeOf));
  const waiting = beginnings.map((path) => ({ path, from: 'the start' }));
  for (let visited = 0; visited < PAGES_MAX; visited++) {
    const next = waiting.shift();
    if (!next) break;
    const { text, status } = await session.get(next.path);
    // A page that everybody can ask for may refuse; one that a page leads to may not.
    if (status === FORBIDDEN && next.from !== 'the start') refused.push(`${next.from}: link to ${next.path}`);
    if (status !== 200) continue;
    shown++;
    refused.push(...(await refusedForms(session, next.path, text, seen)));
    for (const [, href = ''] of text.matchAll(/<a\b[^>]*?\shref="([^"#]*)/g)) {
      const path = attribute(`x="${href}"`, 'x');
      if (!path.startsWith('/') || path.startsWith('/api/') || seen.has(routeOf(path))) continue;
      seen.add(routeOf(path));
      waiting.push({ path, from: next.path });
    }
  }
  return { refused, shown };
}

async function refusedForms(
  session: TestSession,
  path: string,
  page: string,
  seen: Set<string>,
): Promise<readonly string[]> {
  const refused: string[] = [];
  for (const { action, fields, buttons } of formsOf(page, path)) {
    if (action.startsWith('/signout')) continue;
    for (const [name, value] of buttons.length > 0 ? buttons : [['', '']]) {
      const key = `${action.replaceAll(/\d+/g, '0')} ${name}=${value}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const answer = await session.post(action, { ...fields, ...(name === '' ? {} : { [name ?? '']: value ?? '' }) });
      if (answer.status === FORBIDDEN) refused.push(`${path}: ${key}`);
    }
  }
  return refused;
}

describe('users who may do almost nothing', () => {
  for (const [name, permissions, least] of [
    ['nobody', '', 5],
    ['looker', 'ForeclosureSelect ForeclosureSearch CaseSummarySearch LoanSelect LoanSearch', 10],
    ['taker', '*Select *Search ImportFormDescribe SmartWorklistMemberNext', 50],
  ] as const)
    it(`WEB-01 WEB-02 are offered nothing that would be refused: ${permissions === '' ? 'no permission' : permissions}`, async () => {
      await admin.save('role', { Role: `Role of ${name}`, Permissions: permissions, UniversalAccess: true });
      await p.user(name, `Role of ${name}`);
      const { refused, shown } = await refusedOffers(await testSession(p, name));
      assert.deepEqual(refused, []);
      assert.ok(shown >= least, `${shown} pages`);
    });
});
