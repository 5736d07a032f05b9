import type { Browser } from 'puppeteer-core';
import { browserMissing, testBrowser } from '../browser/browser.ts';
import type { CleanUp } from '../database.ts';
import { testPlatform, type TestPlatform } from '../platform.ts';
import { testSession, type TestSession } from '../pages/session.ts';
import { workflowCalls, type StepOf, type WorkflowCalls, type WorkflowRow } from './workflows.ts';

/** A platform with a workflow for cases, and users who see its pages. */
export interface ReviewWorld extends WorkflowCalls {
  readonly p: TestPlatform;
  /** The task type of the first step. */
  readonly form: WorkflowRow;
  /** The steps of the template "Foreclosure review". */
  readonly review: readonly StepOf[];
  readonly firm: Awaited<ReturnType<TestPlatform['firm']>>;
  readonly clerk: TestSession;
  /** Undefined if no browser is installed. */
  readonly browser: Browser | undefined;
  stepId(decision: unknown, name: string): Promise<string>;
  /** Returns the address of a case. */
  at(id: number, of?: string): string;
  /** Returns the address of the workflows of a case, with their steps. */
  flow(id: number, of?: string): string;
}

/**
 * Creates a platform with the template "Foreclosure review", the template "Calls something" whose last step fails, the
 * hold type "Title hold", the users clerk, other and reader, and a firm.
 */
export async function reviewWorld(cleanUp: CleanUp): Promise<ReviewWorld> {
  const p = await testPlatform(cleanUp);
  const calls = workflowCalls(p);
  const { save, template, stepNamed } = calls;
  await p.user('clerk', 'Staff');
  await p.user('other', 'Staff');
  await p.user('reader', 'Read Only');
  const firm = await p.firm('Firm A');
  const clerk = await testSession(p, 'clerk');
  const browser = browserMissing === false ? await testBrowser(cleanUp) : undefined;

  const form = await save('importformtemplate', {
    ImportFormTemplate: 'Title review',
    Questions: [{ ImportFormQuestion: 'Remark', Sequence: 1 }],
  });
  const review: readonly StepOf[] = [
    {
      name: 'Order the title',
      Object: 'ImportFormTemplate',
      ObjectID: form['ImportFormTemplateID'],
      EstimatedDuration: '3',
    },
    { name: 'Is the title clear?', after: ['Order the title'] },
    { name: 'Cure the defects', after: ['Is the title clear?=0'], EstimatedDuration: '10' },
    { name: 'Draft the complaint', after: [['Is the title clear?=1', 'Cure the defects']] },
    { name: 'File the complaint', after: ['Draft the complaint'] },
  ];
  await template('Foreclosure review', review);
  await template('Calls something', [
    {
      name: 'Call',
      Object: 'Foreclosure',
      Operation: 'Update',
      Parameters: 'ID={ObjectID}&Status=Called&Foreclosure={Foreclosure}',
    },
    { name: 'Fails', Object: 'Loan', Operation: 'Select', Parameters: 'ID=9876543', after: ['Call'] },
  ]);
  await save('decisiondelaytemplate', { DecisionDelayTemplate: 'Title hold', AppliesTo: 'Foreclosure' });

  const at = (id: number, of = 'foreclosure'): string => `/case/${of}/${id}`;
  return {
    ...calls,
    p,
    form,
    review,
    firm,
    clerk,
    browser,
    at,
    stepId: async (decision, name) => String((await stepNamed(decision, name))['DecisionStepID']),
    flow: (id, of) => `${at(id, of)}?tab=workflow`,
  };
}
