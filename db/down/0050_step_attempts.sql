-- down: outcomes of operations that no pass has recorded yet; these operations are called again
drop table decisionstepattempt;
