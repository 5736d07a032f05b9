/** A case with ten thousand tasks: its page and work mode stay as quick and as small as with a few. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client } from '../../support/client.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';
import { workWorld } from '../../support/work/work-world.ts';

const TASKS = 10_000;
/** Pages of a case with a few tasks have a third of this. */
const PAGE_CHARACTERS_MAX = 120_000;

describe('a case with ten thousand tasks', async () => {
  const p = await testPlatform({ after });
  const admin = client(p);
  const world = await workWorld(p);
  const caseId = await world.addCase('FC-many', 'Many, Mona', '1 Heap St');
  const { taskId, itemId } = await world.addTask(caseId, -1, { AssignedPersonID: world.clerk.personId });
  await manyTasks();
  await world.refresh();
  const clerk = await testSession(p, 'dana');

  /** Copies the task and its work item; every third one is complete. */
  async function manyTasks(): Promise<void> {
    const { store } = p.platform;
    await store.query(
      `insert into importform (importform, object, objectid, importformtemplateid, estimatedcompletion,
         assignedpersonid, assignedcollectionid, actualcompletion)
       select importform || ' ' || n, object, objectid, importformtemplateid,
         estimatedcompletion + n * interval '1 hour', assignedpersonid, assignedcollectionid,
         case when n % 3 = 0 then now() end
       from importform, generate_series(1, $2::integer) n where importformid = $1::bigint`,
      [taskId, TASKS],
    );
    await store.query(
      `insert into smartworklistmember (smartworklistmember, smartworklistid, sourceobject, sourceobjectid, personid,
         teamid, priority, duedate)
       select f.importform, i.smartworklistid, i.sourceobject, f.importformid, i.personid, i.teamid, i.priority,
         f.estimatedcompletion
       from smartworklistmember i, importform f
       where i.smartworklistmemberid = $1::bigint and f.importformid <> i.sourceobjectid
         and f.actualcompletion is null`,
      [itemId],
    );
    await store.query('analyze importform, smartworklistmember');
  }

  for (const [what, path, rest] of [
    ['the page of the case', `/case/foreclosure/${caseId}`, /tab=tasks/],
    ['the tab of its tasks', `/case/foreclosure/${caseId}?tab=tasks`, /cursor=|after=/i],
    ['work mode', '/work', /after=/],
    ['the page of the team', '/team', /cursor=/],
  ] as const)
    it(`WEB-01 WEB-02 ${what} lists some of them, counts them, and leads to the rest`, async () => {
      const { text, status } = await clerk.get(path);
      assert.equal(status, 200);
      assert.match(text, /6,?668/);
      assert.match(text, rest);
      assert.ok(text.length < PAGE_CHARACTERS_MAX, `${text.length} characters`);
    });

  it('WEB-01 the tasks of the case follow page by page, the open ones by due date', async () => {
    const tasks = (page: string): string[] => [...page.matchAll(/title report (\d+)<\/bdi>/g)].map(([, n = '']) => n);
    const first = (await clerk.get(`/case/foreclosure/${caseId}?tab=tasks`)).text;
    const [, more = ''] = /href="([^"]*cursor=[^"]*)"/.exec(first) ?? [];
    const second = await clerk.get(more.replaceAll('&amp;', '&'));
    assert.deepEqual(tasks(first).slice(0, 3), ['1', '2', '4']);
    // The first of all has no number; two of three are open.
    assert.equal(tasks(second.text)[0], '149');
    assert.equal(tasks(second.text).length, 100);
  });

  it('WEB-02 work mode completes one of them and shows the next', async () => {
    const next = await clerk.post('/work', { Do: 'next' });
    assert.equal(next.location, `/work?item=${itemId}`);
    await admin.expectOk('smartworklistmember/bulkcomplete', { ID: itemId });
    const { text } = await clerk.post('/work', { Do: 'next', Part: 'next' });
    assert.match(text, /data-address="\/work\?item=(?!0)\d+"/);
    assert.match(text, /Review title report 1</);
  });
});
