import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client } from '../../support/client.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

const DAY = 86_400_000;
const day = (days: number): string => new Date(Date.now() + days * DAY).toISOString().slice(0, 10);

describe('the tab of tasks of a case', async () => {
  const p = await testPlatform({ after });
  const admin = client(p);
  const { personId } = await p.user('clerk', 'Staff');
  await p.firm('Hollis Law', 'Partner');
  const clerk = await testSession(p, 'clerk');
  const { ForeclosureID: id } = await admin.save('foreclosure', { Foreclosure: 'FC-1' });
  const task = (name: string, values: object): Promise<unknown> =>
    admin.save('importform', { ImportForm: name, Object: 'Foreclosure', ObjectID: id, ...values });
  await task('Order title <b>', { EstimatedCompletion: day(9) });
  await task('Review title', { EstimatedCompletion: day(-3) });
  // The due date that a user entered counts, not the expected one.
  await task('Call borrower', {
    EstimatedCompletion: day(-9),
    ProjectedCompletion: day(5),
    AssignedPersonID: personId,
  });
  await task('Read referral', { ActualCompletion: day(-1) });
  await task('Old task', { CanceledDate: day(-1) });
  const tab = async (query: string): Promise<string> => {
    const { text, status } = await clerk.get(`/case/foreclosure/${String(id)}?tab=tasks${query}`);
    assert.equal(status, 200);
    return text;
  };
  const names = async (query: string): Promise<string[]> =>
    [...(await tab(query)).matchAll(/<th scope="row"><a href="\/form\/\d+"><bdi>([^<]*)<\/bdi>/g)].map(
      ([, name = '']) => name.replace('&lt;', '<').replace('&gt;', '>'),
    );

  it('WEB-01 shows open, own, overdue, completed or all tasks', async () => {
    assert.deepEqual((await names('')).toSorted(), ['Call borrower', 'Order title <b>', 'Review title']);
    assert.deepEqual(await names('&show=mine'), ['Call borrower']);
    assert.deepEqual(await names('&show=overdue'), ['Review title']);
    assert.deepEqual(await names('&show=done'), ['Read referral']);
    assert.equal((await names('&show=all')).length, 5);
    assert.match(await tab('&show=overdue'), /aria-current="true">Overdue</);
  });

  it('WEB-01 finds tasks by a part of their names, among the chosen ones; hostile text stays text', async () => {
    assert.deepEqual((await names('&text=TITLE')).toSorted(), ['Order title <b>', 'Review title']);
    assert.deepEqual(await names('&show=overdue&text=title'), ['Review title']);
    const empty = await tab(`&show=done&text=${encodeURIComponent('"><i>*')}`);
    assert.match(empty, /No task matches/);
    assert.match(empty, /href="[^"]*show=done"[^>]*>Remove the filter|Remove the filter/);
    assert.ok(!empty.includes('<i>*') && !empty.includes('"><i>'));
  });

  it('WEB-01 completes several tasks that allow it, after saying which do not', async () => {
    const { ImportFormTemplateID } = await admin.save('importformtemplate', { ImportFormTemplate: 'Lien check' });
    await admin.save('importformquestion', { ImportFormTemplateID, ImportFormQuestion: 'Found', IsRequired: true });
    const found = await admin.save('importform', { Template: 'Lien check', Object: 'Foreclosure', ObjectID: id });
    const page = await tab('&show=open');
    const ids = [...page.matchAll(/name="ID" value="(\d+)" form="ticked-tasks"/g)].map(([, each = '']) => each);
    assert.equal(ids.length, 4);
    const path = `/case/foreclosure/${String(id)}?tab=tasks`;
    const questions = await clerk.post('/bulk/importform', { Action: 'complete', Path: path, ID: ids });
    assert.match(questions.text, /Complete 4 tasks/);
    const completion = /name="ActualCompletion" value="([^"]*)"/.exec(questions.text)?.[1] ?? '';
    const form = { Action: 'complete', Path: path, ID: ids, ActualCompletion: completion };
    const checked = await clerk.post('/bulk/importform', { ...form, Step: 'check' });
    assert.match(checked.text, /Found: required/);
    assert.match(checked.text, new RegExp(`href="${path.replace('?', '\\?')}"`), 'back to the case');
    assert.ok(!(await clerk.get(`/form/${String(found['ImportFormID'])}`)).text.includes('Completed on'));
  });

  it('WEB-01 offers no ticks to those who may not change several tasks at once', async () => {
    await p.user('reader', 'Read Only');
    const reader = await testSession(p, 'reader');
    const { text } = await reader.get(`/case/foreclosure/${String(id)}?tab=tasks`);
    assert.ok(!text.includes('ticked-tasks'));
  });
});
