import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { process } from '../process/process.record.ts';

export const bankruptcy = defineRecord({
  name: 'Bankruptcy',
  doc:
    "A borrower's bankruptcy, as a firm handles it for a loan: a motion for relief (MFR), a proof of claim " +
    "(POC) or, without a type, the court case that a firm's events report.",
  base: process,
  reach: 'one',
  labelDoc: 'The Attorney Case ID.',
  findBy: ['BKCaseNo'],
  triggers: {
    bankruptcy_reach_payments: 'Propagates a change of its firm to its payments.',
    bankruptcy_case_changed: 'Notes it when what the summary shows changes.',
  },
  fields: {
    BKCaseNo: f.text({
      label: 'Court case number',
      doc:
        "The court's case number. Several bankruptcies can share one: the proof of claim and the motion of " +
        'one case are two records.',
      max: 50,
    }),
    Chapter: f.choice(['7', '9', '11', '12', '13', '15'], { doc: 'The chapter under which it was filed.' }),
    Court: f.text({ doc: 'The court and its district.', max: 100 }),
    FilingDate: f.date({ label: 'Petition filed', doc: 'The day on which the petition was filed.' }),
    BarDate: f.date({ label: 'Claims bar date', doc: 'The last day for proofs of claim.' }),
    HearingDate: f.date({ label: 'Next hearing', doc: 'The day of the court hearing.' }),
  },
});
