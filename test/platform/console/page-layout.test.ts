import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { matchingLayouts, type StoredLayout } from '../../../src/modules/console/pagelayout/lib/choose-layout.ts';
import { parseLayout } from '../../../src/modules/console/pagelayout/lib/check-layout.ts';
import { testPlatform } from '../../support/platform.ts';
import { testSession, type TestSession } from '../../support/pages/session.ts';
import { rowsOf, workflowCalls, type WorkflowRow } from '../../support/work/workflows.ts';

const p = await testPlatform({ after });
const { ok, save, refused } = workflowCalls(p);
const { registry } = p.platform;
const foreclosure = registry.recordType('Foreclosure');

const layoutText = (more: object = {}): string => JSON.stringify({ tabs: ['Overview'], ...more });
const choose = async (query: string, caller = p.admin): Promise<WorkflowRow[]> =>
  rowsOf(await ok(caller.get(`/api/pagelayout/choose?Output=Json&${query}`)), 'PageLayout');

let analystSession: Promise<TestSession> | undefined;

describe('page layouts', () => {
  it('WEB-01 name declared fields only: another one is refused with its name and the nearest', async () => {
    const content = parseLayout(
      registry,
      foreclosure,
      layoutText({
        header: ['loan.property.county', { field: 'Organization', label: 'Firm' }],
        panels: [{ panel: 'legal checks' }, { title: 'Sale', facts: ['ScheduledSaleDate'] }],
        tabs: ['overview', 'History'],
      }),
    );
    assert.deepEqual(content, {
      header: [{ field: 'Loan.Property.County' }, { field: 'OrganizationID', label: 'Firm' }],
      milestones: [],
      panels: [{ panel: 'Legal checks' }, { title: 'Sale', facts: [{ field: 'ScheduledSaleDate' }] }],
      side: [],
      tabs: ['Overview', 'History'],
    });
    const wrong: readonly (readonly [part: object, message: RegExp])[] = [
      [
        { header: ['Loan.Property.Countty'] },
        /Property has no field "Countty" in "Loan\.Property\.Countty"\. Did you mean Count/,
      ],
      [{ header: ['Lone.UPBAmount'] }, /Foreclosure has no field "Lone" in "Lone\.UPBAmount"\. Did you mean Loan/],
      [{ header: ['Loan.Property.Loan.Property.Loan'] }, /has no field/],
      [{ panels: [{ title: 'Loan', facts: [{ label: 'Type' }] }] }, /field of fact 1 of panels 1 must be a text/],
      [{ panels: [{ panel: 'Party' }] }, /panels 1 has an unknown entry "Party"\. Did you mean Parties/],
      [{ side: ['Taks'] }, /unknown entry "Taks"\. Did you mean Tasks/],
      [{ tabs: ['Tasks'] }, /tabs must contain Overview/],
      [{ heeder: [] }, /unknown part "heeder"\. Did you mean header/],
    ];
    for (const [part, message] of wrong) {
      const error = await refused(
        p.admin.post('/api/pagelayout/save?Output=Json', {
          PageLayout: 'Wrong',
          AppliesTo: 'Foreclosure',
          Layout: layoutText(part),
        }),
        400,
      );
      assert.match(String(error['Message']), message);
    }
    for (const [fields, field] of [
      [{ Layout: '{' }, 'Layout'],
      [{ AppliesTo: 'Loan' }, 'AppliesTo'],
      [{ AppliesTo: 'Forclosure' }, 'AppliesTo'],
      [{ PageLayout: ' ' }, 'PageLayout'],
    ] as const) {
      const body = { PageLayout: 'Wrong', AppliesTo: 'Foreclosure', Layout: layoutText(), ...fields };
      const error = await refused(p.admin.post('/api/pagelayout/save?Output=Json', body), 400);
      assert.equal(error['Field'], field, JSON.stringify(error));
    }
  });

  it('WEB-01 are chosen by role, then by case type, then by record type, and say why', async () => {
    const at = (id: number, appliesTo: string, processType: string | null, role: string | null): StoredLayout => ({
      id,
      name: String(id),
      appliesTo,
      processType,
      role,
      layout: '',
    });
    const layouts = [
      at(1, 'Process', null, null),
      at(2, 'Foreclosure', null, null),
      at(3, 'Foreclosure', 'Judicial', null),
      at(4, 'Process', null, 'Clerk'),
      at(5, 'Bankruptcy', null, 'Clerk'),
      at(6, 'Foreclosure', 'Judicial', 'Clerk'),
    ];
    const order = (processType: string | null, roles: readonly string[]): number[] =>
      matchingLayouts(layouts, { record: foreclosure, processType, roles }).map(({ layout }) => layout.id);
    assert.deepEqual(order('judicial', ['CLERK']), [6, 4, 3, 2, 1]);
    assert.deepEqual(order('Judicial', []), [3, 2, 1]);
    assert.deepEqual(order(null, ['Clerk']), [4, 2, 1]);
    await save('pagelayout', { PageLayout: 'All cases', AppliesTo: 'Process', Layout: layoutText() });
    await save('pagelayout', {
      PageLayout: 'Judicial',
      AppliesTo: 'Foreclosure',
      ProcessType: 'Judicial',
      Layout: layoutText({ header: ['ScheduledSaleDate'] }),
    });
    const [first, second, third] = await choose('AppliesTo=Foreclosure&ProcessType=Judicial');
    assert.deepEqual(
      [first?.['PageLayout'], first?.['IsChosen'], first?.['Reason']],
      ['Judicial', true, 'for all roles, the case type Judicial, the record type Foreclosure'],
    );
    assert.deepEqual(
      [second?.['PageLayout'], second?.['IsChosen'], second?.['Layout'], third?.['PageLayout']],
      ['Foreclosure', false, undefined, 'All cases'],
    );
    assert.equal((await choose('AppliesTo=Bankruptcy'))[0]?.['PageLayout'], 'Bankruptcy');
    const error = await refused(
      p.admin.post('/api/pagelayout/save?Output=Json', {
        PageLayout: 'Twice',
        AppliesTo: 'Foreclosure',
        ProcessType: 'judicial',
        Layout: layoutText(),
      }),
      409,
    );
    assert.match(String(error['Message']), /the layout "Judicial" is already for this type of case/);
  });

  it('WEB-01 ship with the standard configuration, and only configurers change them', async () => {
    const document = readFileSync(new URL('../../../src/app/standard/configuration.xml', import.meta.url), 'utf8');
    const layouts = [...document.matchAll(/<AppliesTo>(\w+)<\/AppliesTo>\s*<Description>.*\s*<Layout>(.*)<\/Layout>/g)];
    assert.deepEqual(
      layouts.map(([, appliesTo = '', text = '']) => {
        const content = parseLayout(registry, registry.requireRecord(appliesTo, 'AppliesTo'), text);
        assert.equal(text, JSON.stringify(content), 'as it is stored');
        return [appliesTo, content.tabs.length, content.header.length > 3];
      }),
      [
        ['Bankruptcy', 7, true],
        ['Foreclosure', 7, true],
      ],
    );
    const { caller: staff } = await p.user('layout-clerk', 'Staff');
    const body = { PageLayout: 'Mine', AppliesTo: 'Bankruptcy', Role: 'Staff', Layout: layoutText() };
    assert.equal((await staff.post('/api/pagelayout/save', body)).status, 403);
    await save('pagelayout', body);
    const firm = await p.firm('Layouts', 'Partner');
    assert.equal((await choose('AppliesTo=Bankruptcy', staff))[0]?.['PageLayout'], 'Mine');
    assert.equal((await choose('AppliesTo=Bankruptcy', firm.caller))[0]?.['PageLayout'], 'Bankruptcy');
  });

  it('WEB-05 are edited without script: a draft moves, adds and labels facts, and names the nearest field to an unknown one', async () => {
    const { path, analyst, stored } = await editedLayout('Without script', ['DateOpened', 'ScheduledSaleDate']);
    const shown = await save('foreclosure', { Foreclosure: 'Shown in the preview', DateOpened: '2026-02-03' });
    const page = await analyst.get(`${path}?Case=${String(shown['ForeclosureID'])}`);
    assert.equal(page.status, 200, page.text);
    assert.match(page.text, /inert>[^]*Shown in the preview/);
    const first = { list: 'header', at: 0, name: 'DateOpened' };
    const moved = await analyst.post(path, {
      Version: '0',
      Case: '5',
      Do: JSON.stringify({ verb: 'down', from: first }),
    });
    assert.equal(moved.location, `${path}?Case=5&At=down-header-DateOpened`);
    const add = { Version: '1', Do: JSON.stringify({ verb: 'add', to: { list: 'header' } }) };
    const refusal = await analyst.post(path, { ...add, Text: 'Loan.Agencyy' });
    assert.equal(refusal.status, 400);
    assert.match(refusal.text, /has no field (?:"|&quot;|&#34;)Agencyy[^]*Did you mean Agency/);
    await analyst.post(path, { ...add, Text: 'loan.agency' });
    const agency = { list: 'header', at: 2, name: 'Loan.Agency' };
    const change = {
      Version: '2',
      Do: JSON.stringify({ verb: 'label', from: agency }),
      Label: '<b>Who</b>',
      To: 'header',
    };
    await analyst.post(path, change);
    const changed = await analyst.get(path);
    assert.match(changed.text, /2 added|1 added/);
    assert.match(changed.text, /<bdi>&lt;b&gt;Who&lt;\/b&gt;<\/bdi>/);
    assert.deepEqual(await stored(), ['DateOpened', 'ScheduledSaleDate'], 'nothing is published yet');
    assert.equal((await analyst.post(`${path}/publish`, { Version: '3' })).location, `${path}?done=published`);
    assert.deepEqual(await stored(), ['ScheduledSaleDate', 'DateOpened', 'Loan.Agency']);
    assert.equal((await analyst.post(`${path}/publish`, { Version: '3' })).status, 409, 'the draft is gone');
  });

  it('WEB-05 a change of a draft that somebody else changed is offered again on theirs, and nothing of it is lost', async () => {
    const { path, analyst } = await editedLayout('Two at once', ['DateOpened', 'ScheduledSaleDate']);
    await p.user('layout-other', 'Analyst');
    const other = await testSession(p, 'layout-other');
    const remove = { verb: 'remove', from: { list: 'header', at: 0, name: 'DateOpened' } };
    await other.post(path, { Version: '0', Do: JSON.stringify(remove) });
    const move = {
      verb: 'move',
      from: { list: 'header', at: 1, name: 'ScheduledSaleDate' },
      to: { list: 'panels/0' },
      at: 0,
    };
    const sent = { Version: '0', Do: JSON.stringify(move) };
    const conflict = await analyst.post(path, sent);
    assert.equal(conflict.status, 409);
    assert.match(
      conflict.text,
      /layout-other changed this draft[^]*Move ScheduledSaleDate to Dates[^]*Apply it to theirs/,
    );
    await analyst.post(path, { ...sent, Version: '1' });
    const { Layout, Version } = await ok(p.admin.get(`/api/pagelayout/draft?ID=${path.split('/').at(-1)}&Output=Json`));
    assert.deepEqual(
      [Version, (Layout as { header: unknown }).header, (Layout as { panels: unknown }).panels],
      [2, [], [{ title: 'Dates', facts: [{ field: 'RedemptionDate' }, { field: 'ScheduledSaleDate' }].reverse() }]],
    );
    const gone = await analyst.post(path, { Version: '0', Do: JSON.stringify(remove) });
    assert.match(gone.text, /The entry that you changed no longer exists/);
    assert.doesNotMatch(gone.text, /Apply it to theirs/);
  });

  it('WEB-05 problems of a draft are a field that is gone, a fact shown twice and an empty panel; only errors keep it from being published', async () => {
    const { path, analyst } = await editedLayout('Problems', ['DateOpened']);
    const id = path.split('/').at(-1) ?? '';
    const draft = async (header: readonly string[], version: number): Promise<string> => {
      const content = layoutText({ header, panels: [{ title: 'Dates', facts: [] }] });
      const answer = await ok(
        p.admin.post('/api/pagelayout/savedraft?Output=Json', { ID: id, Version: version, Layout: content }),
      );
      return (answer['Problems'] as { Severity: string; Title: string }[])
        .map(({ Severity, Title }) => `${Severity}: ${Title}`)
        .join(', ');
    };
    assert.equal(
      await draft(['DateOpened', 'DateOpenedd', 'DateOpened'], 0),
      'Error: DateOpenedd no longer exists, Warning: Opened is shown twice, Warning: The panel Dates is empty',
    );
    assert.match((await analyst.get(path)).text, /Fix 1 error to publish[^]*Did you mean DateOpened/);
    const refusal = await analyst.post(`${path}/publish`, { Version: '1' });
    assert.equal(refusal.status, 422);
    assert.match(refusal.text, /DateOpenedd no longer exists/);
    assert.equal(await draft(['ScheduledSaleDate'], 1), 'Warning: The panel Dates is empty');
    assert.equal((await analyst.post(`${path}/publish`, { Version: '2' })).location, `${path}?done=published`);
  });

  it('WEB-05 versions say who changed what; one is restored as the draft, and a draft that began before another version says so', async () => {
    const { path, analyst, stored } = await editedLayout('Versions', ['DateOpened']);
    const id = path.split('/').at(-1) ?? '';
    const publish = (header: readonly string[]): Promise<unknown> =>
      ok(p.admin.post('/api/pagelayout/save?Output=Json', { ID: id, Layout: layoutText({ header }) }));
    await publish(['ScheduledSaleDate']);
    const versions = await analyst.get(`${path}/versions`);
    assert.match(versions.text, /v2 published[^]*Header: <b><bdi>ScheduledSaleDate<\/bdi><\/b> added[^]*v1/);
    assert.equal(
      (await analyst.post(`${path}/versions`, { Version: '0', Number: '1' })).location,
      `${path}?done=restored`,
    );
    await publish(['Loan.Agency']);
    assert.match((await analyst.get(path)).text, /v3 was published after this draft began from v2/);
    assert.match((await analyst.post(`${path}/publish`, { Version: '1' })).text, /Version 3 was published after/);
    await analyst.post(`${path}/publish`, { Version: '1', Replace: 'true' });
    assert.deepEqual(await stored(), ['DateOpened']);
    await analyst.post(path, {
      Version: '0',
      Do: JSON.stringify({ verb: 'add', to: { list: 'tabs' } }),
      Text: 'Tasks',
    });
    assert.match(
      (await analyst.get('/configure')).text,
      new RegExp(`href="${path}"[^]*<b>Versions</b>[^]*layout-analyst`),
    );
    assert.equal((await analyst.post(`${path}/discard`, { Version: '1' })).location, `${path}?done=discarded`);
    assert.match((await analyst.get(path)).text, /v4 published/);
  });

  it('WEB-05 whoever may not change layouts sees them without any way to change them', async () => {
    const { path } = await editedLayout('Only looked at', ['DateOpened']);
    const reader = await testSession(p, 'layout-clerk');
    const page = await reader.get(path);
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /Publish…|name="Do"|layout-handle/);
    const refused = await reader.post(path, {
      Version: '0',
      Do: JSON.stringify({ verb: 'add', to: { list: 'tabs' } }),
      Text: 'Tasks',
    });
    assert.equal(refused.status, 403);
    const firm = await p.firm('Looks at layouts', 'Partner');
    const id = path.split('/').at(-1);
    assert.equal((await firm.caller.get(`/api/pagelayout/draft?ID=${id}`)).status, 403);
    assert.ok((await firm.caller.get('/api/configuration/drafts')).status < 500);
  });
});

/** A layout with facts in its header and a panel, and an analyst who edits it. */
async function editedLayout(name: string, header: readonly string[]) {
  const panels = [{ title: 'Dates', facts: ['RedemptionDate'] }];
  const saved = await save('pagelayout', {
    PageLayout: name,
    AppliesTo: 'Foreclosure',
    Role: name,
    Layout: layoutText({ header, panels }),
  });
  const id = String(saved['PageLayoutID']);
  analystSession ??= p.user('layout-analyst', 'Analyst').then(() => testSession(p, 'layout-analyst'));
  const stored = async (): Promise<string[]> => {
    const { Layout } = await ok(p.admin.get(`/api/pagelayout/select/${id}?Output=Json`));
    return (JSON.parse(String(Layout)) as { header: { field: string }[] }).header.map(({ field }) => field);
  };
  return { path: `/configure/layouts/${id}`, analyst: await analystSession, stored };
}
