import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { configurationGroups } from '../../../src/surfaces/pages/configure/configuration-kinds.ts';
import { isIconName } from '../../../src/surfaces/pages/design/icons.ts';
import { testPlatform } from '../../support/platform.ts';
import { testSession } from '../../support/pages/session.ts';
import { rowsOf, workflowCalls } from '../../support/work/workflows.ts';

const p = await testPlatform({ after });
const { ok, save } = workflowCalls(p);
await p.user('analyst', 'Analyst');
const analyst = await testSession(p, 'analyst');
const now = (): string => new Date(p.platform.clock.milliseconds()).toISOString();

describe('changes of configuration, and moving it', () => {
  it('WEB-05 every kind that analysts configure is declared by its record, is listed once, and has an icon', () => {
    const { registry } = p.platform;
    const groups = configurationGroups(registry);
    const declared = registry.records().flatMap(({ kind, name }) => (kind ? [{ kind, name }] : []));
    const listed = groups.flatMap(({ kinds }) => kinds.map(({ record }) => record.name));
    assert.deepEqual(new Set(listed), new Set(declared.map(({ name }) => name)));
    assert.equal(listed.length, new Set(listed).size);
    for (const { kind, name } of declared) assert.ok(isIconName(kind.icon), `${name} has the icon ${kind.icon}`);
    const places = declared.map(({ kind }) => `${kind.group} ${kind.position}`);
    assert.equal(new Set(places).size, places.length, 'two kinds have one place');
  });

  it('WEB-05 what was changed in a span is listed by record, with who, each field before and after, and a way back', async () => {
    const before = now();
    const made = await save('messagetemplate', { MessageTemplate: 'Reminder <i>', Subject: 'First' });
    const id = Number(made['MessageTemplateID']);
    const { MessageTemplateID: gone } = await save('messagetemplate', { MessageTemplate: 'Gone' });
    await save('messagetemplate', { ID: id, Subject: 'Second' });
    await ok(p.admin.post('/api/messagetemplate/delete?Output=Json', { ID: gone }));
    const later = now();
    const span = `/api/configuration/changes?Since=${encodeURIComponent(before)}&Output=Json`;
    const rows = rowsOf(await ok(p.admin.get(span)), 'Change').map((row) => [
      row['Name'],
      row['Change'],
      row['ChangeCount'],
    ]);
    assert.deepEqual(rows, [
      [undefined, 'delete', 1],
      ['Reminder <i>', 'update', 2],
    ]);
    const none = `/api/configuration/changes?Since=${encodeURIComponent(later)}&Output=Json`;
    assert.deepEqual(rowsOf(await ok(p.admin.get(none)), 'Change'), []);
    const page = await analyst.get(`/configure/changes?Since=${encodeURIComponent(before)}`);
    assert.match(page.text, /<bdi>Reminder &lt;i&gt;<\/bdi>[^]*Subject<\/dt>[^]*First[^]*Second[^]*View as before/);
    const firm = await p.firm('Changes', 'Partner');
    const shown = await firm.caller.get(span);
    assert.ok(shown.status === 403 || !shown.text.includes('Reminder'), shown.text);
  });

  it('WEB-05 an analyst exports chosen records and imports them with a preview; a bad document changes nothing', async () => {
    const { MessageTemplateID: id } = await save('messagetemplate', { MessageTemplate: 'Moved', Subject: 'Old' });
    assert.match((await analyst.get('/configure')).text, /href="\/configure\/export"[^]*href="\/configure\/import"/);
    const choice = await analyst.get('/configure/export?kind=messagetemplate');
    assert.match(choice.text, new RegExp(`action="/api/messagetemplate/export"[^]*value="${String(id)}"`));
    const exported = await analyst.post('/api/messagetemplate/export', { ID: String(id) });
    assert.equal(exported.status, 200, exported.text);
    assert.match(exported.text, /<MessageTemplate>Moved</);
    const xml = exported.text.replace('<Subject>Old<', '<Subject>New<');
    const preview = await analyst.post('/configure/import', { Xml: xml });
    assert.match(preview.text, /Changed<\/td>[^]*Moved[^]*Subject<\/td>[^]*Import 1 record</);
    const subject = async (): Promise<unknown> =>
      (await ok(p.admin.get(`/api/messagetemplate/select?ID=${String(id)}&Output=Json`)))['Subject'];
    assert.equal(await subject(), 'Old', 'a preview changes nothing');
    const refused = await analyst.post('/configure/import', {
      Xml: xml.replace('<Subject>', '<Sub>'),
      confirm: 'true',
    });
    assert.match(refused.text, /Nothing was imported\./);
    assert.equal(await subject(), 'Old');
    assert.match((await analyst.post('/configure/import', { Xml: xml, confirm: 'true' })).text, /Imported\./);
    assert.equal(await subject(), 'New');
    assert.match((await analyst.post('/configure/import', { Xml: xml })).text, /There are no differences/);
    await p.user('clerk', 'Staff');
    const clerk = await testSession(p, 'clerk');
    const denied = await clerk.post('/configure/import', { Xml: exported.text, confirm: 'true' });
    assert.match(denied.text, /Nothing was imported\./);
    assert.equal(await subject(), 'New');
  });
});
