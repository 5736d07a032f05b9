-- The milestone that completing a step of a workflow reaches.
alter table decisionsteptemplate add column milestone character varying(60) collate casewright_text;
-- The standard workflows have milestones.
update decisionsteptemplate t set milestone = m.milestone, version = t.version + 1
from (values
  ('standard/foreclosure-judicial/review-the-referral', 'Referral'),
  ('standard/foreclosure-judicial/title-is-clear', 'Title'),
  ('standard/foreclosure-judicial/cure-the-title', 'Title'),
  ('standard/foreclosure-judicial/confirm-the-end-of-the-breach-period', 'Breach notice'),
  ('standard/foreclosure-judicial/file-the-complaint', 'Complaint'),
  ('standard/foreclosure-judicial/serve-the-parties', 'Service'),
  ('standard/foreclosure-judicial/obtain-the-judgment', 'Judgment'),
  ('standard/foreclosure-judicial/hold-the-sale', 'Sale'),
  ('standard/foreclosure-judicial/close-the-foreclosure-file', 'Closing'),
  ('standard/foreclosure-non-judicial/review-the-referral', 'Referral'),
  ('standard/foreclosure-non-judicial/title-is-clear', 'Title'),
  ('standard/foreclosure-non-judicial/cure-the-title', 'Title'),
  ('standard/foreclosure-non-judicial/substitute-the-trustee', 'Trustee'),
  ('standard/foreclosure-non-judicial/mail-the-notice-of-default', 'Notice of default'),
  ('standard/foreclosure-non-judicial/check-for-reinstatement', 'Notice of sale'),
  ('standard/foreclosure-non-judicial/hold-the-sale', 'Sale'),
  ('standard/foreclosure-non-judicial/close-the-foreclosure-file', 'Closing'),
  ('standard/bankruptcy-mfr/review-the-bankruptcy-referral', 'Referral'),
  ('standard/bankruptcy-mfr/calculate-arrears-after-the-petition', 'Arrears'),
  ('standard/bankruptcy-mfr/sign-the-declaration', 'Declaration'),
  ('standard/bankruptcy-mfr/file-the-motion-for-relief', 'Motion'),
  ('standard/bankruptcy-mfr/serve-the-motion', 'Service'),
  ('standard/bankruptcy-mfr/attend-the-hearing', 'Hearing'),
  ('standard/bankruptcy-mfr/submit-the-order', 'Order'),
  ('standard/bankruptcy-mfr/close-the-motion', 'Closing'),
  ('standard/bankruptcy-poc/review-the-bankruptcy-referral', 'Referral'),
  ('standard/bankruptcy-poc/prepare-the-claim', 'Claim'),
  ('standard/bankruptcy-poc/the-claim-is-right', 'Approval'),
  ('standard/bankruptcy-poc/correct-the-claim', 'Approval'),
  ('standard/bankruptcy-poc/file-the-claim', 'Filing'),
  ('standard/bankruptcy-poc/compare-the-plan', 'Plan'),
  ('standard/bankruptcy-poc/close-the-claim', 'Closing')
) m (subscriberid, milestone)
join objectsubscription s on s.subscriberid = m.subscriberid and s.object = 'DecisionStepTemplate'
where t.decisionsteptemplateid = s.objectid;
