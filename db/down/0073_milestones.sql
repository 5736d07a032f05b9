-- down: the milestones of workflow steps
alter table decisionsteptemplate drop column milestone;
