import assert from 'node:assert/strict';
import { it } from 'node:test';
import { activeCondition, openCondition } from '../../../src/kernel/records/save/final-status.ts';
import { process } from '../../../src/modules/cases/process/process.record.ts';
import { foreclosure } from '../../../src/modules/cases/records/foreclosure.record.ts';
import { decisionStep } from '../../../src/modules/work/decisionstep/decisionstep.record.ts';
import { smartWorklistMember } from '../../../src/modules/work/smartworklistmember/smartworklistmember.record.ts';

it('a record is open while none of its end dates is set', () => {
  assert.equal(openCondition(decisionStep, 's'), 's.canceleddate is null and s.actualcompletion is null');
  assert.equal(openCondition(process), 'process.dateclosed is null');
});

it('a record type can declare its own end dates', () => {
  assert.equal(openCondition(smartWorklistMember, 'i'), 'i.completiondate is null and i.cancelleddate is null');
});

it('a record is active while it is open and has no final status', () => {
  assert.equal(
    activeCondition(process, 'p'),
    "coalesce(p.status, '') not in ('Closed', 'Canceled', 'Cancelled', 'Rejected') and p.dateclosed is null",
  );
});

it('a derived record type has the final statuses of its base type, in whose table its status is', () => {
  assert.equal(activeCondition(foreclosure), activeCondition(process));
});
