-- down: which event reported the expected end and the details of each hold
alter table decisiondelaystate drop column projectedkey, drop column detailskey;
