import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { matchingLayouts, type StoredLayout } from '../../../src/modules/console/pagelayout/lib/choose-layout.ts';
import { parseLayout } from '../../../src/modules/console/pagelayout/lib/layout-content.ts';
import { testPlatform } from '../../support/platform.ts';
import { testSession } from '../../support/pages/session.ts';
import { rowsOf, workflowCalls, type WorkflowRow } from '../../support/work/workflows.ts';

const p = await testPlatform({ after });
const { ok, save, refused } = workflowCalls(p);
const { registry } = p.platform;
const foreclosure = registry.recordType('Foreclosure');

const layoutText = (more: object = {}): string => JSON.stringify({ tabs: ['Overview'], ...more });
const choose = async (query: string, caller = p.admin): Promise<WorkflowRow[]> =>
  rowsOf(await ok(caller.get(`/api/pagelayout/choose?Output=Json&${query}`)), 'PageLayout');

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

  it('WEB-01 are edited without script: a draft moves and adds facts, names the nearest field to an unknown one, and is published once', async () => {
    const saved = await save('pagelayout', {
      PageLayout: 'Edited',
      AppliesTo: 'Foreclosure',
      Role: 'Team lead',
      Layout: layoutText({ header: ['DateOpened', 'ScheduledSaleDate'] }),
    });
    const path = `/configure/layouts/${String(saved['PageLayoutID'])}`;
    await p.user('layout-analyst', 'Analyst');
    const analyst = await testSession(p, 'layout-analyst');
    const borrowed = await save('foreclosure', { Foreclosure: 'Shown in the preview', DateOpened: '2026-02-03' });
    const page = await analyst.get(`${path}?Case=${String(borrowed['ForeclosureID'])}`);
    assert.equal(page.status, 200, page.text);
    assert.match(page.text, /inert>[^]*Shown in the preview/);
    const [, version = ''] = /name="Version" value="(\d+)"/.exec(page.text) ?? [];
    const [, text = ''] = /name="Layout" value="([^"]*)"/.exec(page.text) ?? [];
    const draftOf = (html: string): string => html.replaceAll('&quot;', '"').replaceAll('&#34;', '"');
    const moved = await analyst.post(path, { Layout: draftOf(text), Version: version, Do: 'down header 0' });
    assert.match(moved.text, /<bdi class="grow">ScheduledSaleDate<\/bdi>[^]*<bdi class="grow">DateOpened<\/bdi>/);
    const [, next = ''] = /name="Layout" value="([^"]*)"/.exec(moved.text) ?? [];
    const wrong = { Layout: draftOf(next), Version: version, Do: 'add header', 'add header': 'Loan.Agencyy' };
    const refusal = await analyst.post(path, wrong);
    assert.equal(refusal.status, 400);
    assert.match(refusal.text, /has no field (?:"|&quot;|&#34;)Agencyy[^]*Did you mean Agency/);
    const added = await analyst.post(path, { ...wrong, 'add header': 'loan.agency' });
    assert.match(added.text, /<b>1<\/b> added|1 added/);
    const [, last = ''] = /name="Layout" value="([^"]*)"/.exec(added.text) ?? [];
    const stored = async (): Promise<string[]> => {
      const { Layout } = await ok(p.admin.get(`/api/pagelayout/select/${String(saved['PageLayoutID'])}?Output=Json`));
      return (JSON.parse(String(Layout)) as { header: (string | { field: string })[] }).header.map((fact) =>
        typeof fact === 'string' ? fact : fact.field,
      );
    };
    assert.deepEqual(await stored(), ['DateOpened', 'ScheduledSaleDate'], 'nothing is stored before it is published');
    const publish = { Layout: draftOf(last), Version: version, Do: 'publish' };
    assert.match(String((await analyst.post(path, publish)).location), /done=published/);
    assert.deepEqual(await stored(), ['ScheduledSaleDate', 'DateOpened', 'Loan.Agency']);
    assert.equal((await analyst.post(path, publish)).status, 409, 'somebody else may have published meanwhile');
  });
});
