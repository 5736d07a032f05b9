import { test, after } from 'node:test';
import { testPlatform } from '../support/platform.ts';
test('x', async (t) => {
  const p = await testPlatform({ after: (f) => t.after(f) });
  const show = async (x: Promise<any>) => { const a = await x; console.log(a.status, a.text.slice(0, 1700)); };
  await show(p.admin.post('/api/contact/save?Output=Json', { FirstName: 'Ann', LastName: 'Ärger', SubscriberID: 'x1', Latitude: 12345678.12345678901234 }));
  await show(p.admin.get('/api/contact/delete/1?Output=Json'));
  await show(p.admin.post('/api/contact/undelete/1?Output=Json'));
  await show(p.admin.get('/api/errorlog/search'));
});
